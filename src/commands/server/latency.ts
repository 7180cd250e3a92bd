import type { Call } from '../call.js';
import { CommandError, shownText } from '../errors.js';
import type { LatencyEvent, LatencyHistogram } from '../statistics-port.js';
import type { Command } from '../table.js';
import { callableCommands } from './info/command-sections.js';
import { latencyReport } from './latency-doctor.js';
import { latencyGraph } from './latency-graph.js';

/** LATENCY HISTORY event */
export function latencyHistory(call: Call): void {
  const samples = spikes(call).get(call.text(2))?.samples ?? [];
  call.reply.array(samples.length);
  for (const { time, latency } of samples) {
    call.reply.array(2);
    call.reply.integer(time);
    call.reply.integer(latency);
  }
}

/** LATENCY LATEST: of each event its name, the time and the latency of the last spike, and the longest ever. */
export function latencyLatest(call: Call): void {
  const { reply } = call;
  const events = [...spikes(call).values()];
  reply.array(events.length);
  for (const { name, samples, longest } of events) {
    const last = samples.at(-1);
    reply.array(4);
    reply.bulkText(name);
    reply.integer(last?.time ?? 0);
    reply.integer(last?.latency ?? 0);
    reply.integer(longest);
  }
}

/** LATENCY RESET [event …]: replies with the number of events that were reset. */
export function latencyReset(call: Call): void {
  const { latencyMonitor } = call.engine;
  const names: string[] = call.argc === 2 ? [...spikes(call).keys()] : [];
  for (let i = 2; i < call.argc; i++) names.push(call.text(i));
  call.reply.integer(names.filter((name) => latencyMonitor.reset(name)).length);
}

/** LATENCY GRAPH event */
export function latencyGraphCommand(call: Call): void {
  const event: LatencyEvent | undefined = spikes(call).get(call.text(2));
  if (event === undefined)
    throw new CommandError(`ERR No samples available for event '${shownText(call.text(2))}'`);
  call.reply.verbatim('txt', latencyGraph(event, Math.floor(call.now / 1000)));
}

export function latencyDoctor(call: Call): void {
  spikes(call);
  call.reply.verbatim('txt', latencyReport(call.engine));
}

/** All events, also one that has begun. */
function spikes({ engine }: Call): ReadonlyMap<string, LatencyEvent> {
  engine.latencyMonitor.settle();
  return engine.latencyMonitor.events;
}

/** LATENCY HISTOGRAM [command …]: the cumulative distribution of run times of each command that was called. */
export function latencyHistogram(call: Call): void {
  const { statistics } = call.engine;
  const found: [string, LatencyHistogram][] = [];
  for (const { id, fullName } of call.argc === 2 ? callableCommands(call.engine) : namedCommands(call)) {
    const latencies = statistics.latencies(id);
    if (latencies !== undefined) found.push([fullName, latencies]);
  }
  const { reply } = call;
  reply.map(found.length);
  for (const [name, latencies] of found) {
    const distribution = latencies.cumulative();
    reply.bulkText(name);
    reply.map(2);
    reply.bulkText('calls');
    reply.integer(latencies.total);
    reply.bulkText('histogram_usec');
    reply.map(distribution.length);
    for (const [micros, calls] of distribution) {
      reply.integer(micros);
      reply.integer(calls);
    }
  }
}

/** The commands that the arguments name; a container stands for its subcommands. */
function* namedCommands(call: Call): IterableIterator<Command> {
  for (let i = 2; i < call.argc; i++) {
    const command = call.engine.table.byName(call.text(i));
    if (command === undefined) continue;
    yield command;
    yield* command.subcommands ?? [];
  }
}
