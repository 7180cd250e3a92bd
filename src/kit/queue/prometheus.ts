import { KitError, shown } from '../foundation/index.js';
import type { QueueCounts } from './inspection.js';
import { TaskQueue } from './queue.js';

/** One metric: its samples are the values of each queue. */
interface Gauge {
  readonly name: string;
  readonly help: string;
  samples(counts: QueueCounts): readonly (readonly [labels: string, value: number])[];
}

const STATES = ['waiting', 'delayed', 'blocked', 'active', 'completed', 'dead'] as const;

const GAUGES: readonly Gauge[] = [
  {
    name: 'sorrel_queue_tasks',
    help: 'Tasks by their state; of completed and dead ones those that are kept.',
    samples: (counts) => STATES.map((state) => [`,state="${state}"`, counts[state]]),
  },
  {
    name: 'sorrel_queue_set_aside',
    help: 'Waiting tasks that a worker without a handler for their kind has found.',
    samples: ({ setAside }) => [['', setAside]],
  },
  {
    name: 'sorrel_queue_schedules',
    help: 'Schedules.',
    samples: ({ schedules }) => [['', schedules]],
  },
  {
    name: 'sorrel_queue_paused',
    help: '1 if the queue is paused.',
    samples: ({ isPaused }) => [['', isPaused ? 1 : 0]],
  },
];

/**
 * The counts of one or several queues in the text format of Prometheus, for the answer to a scrape. Its content type is
 * `text/plain; version=0.0.4`. Their names must differ: they are the label `queue`.
 *
 * @example
 * const text = await prometheusText([mail, reports]);
 * // sorrel_queue_tasks{queue="mail",state="waiting"} 2 …
 */
export async function prometheusText(queues: TaskQueue | readonly TaskQueue[]): Promise<string> {
  const list: readonly unknown[] = Array.isArray(queues) ? queues : [queues];
  const counted = await Promise.all(
    list.map(async (queue) => {
      if (!(queue instanceof TaskQueue)) {
        throw new KitError(
          'OPTION',
          `prometheusText: it takes a queue or a list of queues, not ${shown(queue)}`,
        );
      }
      return { label: `queue="${escaped(queue.name)}"`, counts: await queue.counts() };
    }),
  );
  const labels = counted.map(({ label }) => label);
  const twice = labels.find((label, at) => labels.indexOf(label) !== at);
  if (twice !== undefined) {
    throw new KitError(
      'OPTION',
      `prometheusText: two queues have the label ${twice}: ask for each in a text of its own`,
    );
  }
  const lines: string[] = [];
  for (const { name, help, samples } of GAUGES) {
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} gauge`);
    for (const { label, counts } of counted) {
      for (const [labels, value] of samples(counts)) lines.push(`${name}{${label}${labels}} ${value}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

function escaped(name: string): string {
  return name.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
