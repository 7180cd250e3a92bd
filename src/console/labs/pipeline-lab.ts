import { sessions } from '../../kit/sessions/index.js';
import { open, type Store } from '../../store/index.js';
import { DelayProxy } from './delay-proxy.js';
import { inSteps, type Lab, Measured, oneValue, publishedAt, race, SECONDS, valuesOf } from './lab.js';

/** Calls a second by the round trip in ms; 0 is the same machine. */
const PUBLISHED_PLAIN = { 0: 3_257, 0.27: 739, 48: 3.67 };
const PUBLISHED_PIPELINED = { 0: 5_991, 0.27: 2_841, 48: 18.2 };

/** The commands that note a visit: login, last seen, item, its number of views. */
const COMMANDS = (space: string, now: number, item: string) =>
  [
    ['HSET', `${space}login`, 'token', 'user'],
    ['ZADD', `${space}recent`, now, 'token'],
    ['ZADD', `${space}viewed`, now, item],
    ['ZREMRANGEBYRANK', `${space}viewed`, 0, -26],
    ['ZINCRBY', `${space}views`, -1, item],
  ] as const;

const CONTENDERS: Readonly<
  Record<string, (store: Store, space: string) => Promise<(round: number) => Promise<void>>>
> = {
  'one by one': async (store, space) => async (round) => {
    for (const [name, ...args] of COMMANDS(space, round, `item ${round % 50}`))
      await store.send(name, ...args);
  },
  'in a pipeline': async (store, space) => async (round) => {
    const commands = COMMANDS(space, round, `item ${round % 50}`);
    await store.pipeline((queue) => commands.map(([name, ...args]) => queue.send(name, ...args)));
  },
  'ours, one script': async (store, space) => {
    const all = sessions(store, { prefix: space, onWarning: () => {} });
    const { token } = await all.create({ user: 'user' });
    return async (round) => void (await all.touch(token, { item: `item ${round % 50}` }));
  },
};

/** The experiment on pipelines and the distance to the server. */
export const pipelineLab: Lab = {
  name: 'pipelines',
  title: 'Pipelines and latency',
  about:
    'Updates of a session a second, by the time of a round trip: five commands one by one, in one pipeline, or as one script.',
  isOwnPlace: true,
  parameters: [
    { name: 'latency', label: 'Round trip (ms)', values: [0, 0.27, 5, 48], isList: true, min: 0, max: 1_000 },
    SECONDS,
  ],
  async *run(setting) {
    const { signal, space } = setting;
    const latencies = valuesOf(setting, 'latency');
    const seconds = oneValue(setting, 'seconds');
    const measured = new Measured(latencies.length);
    await using engine = await open();
    await using listener = await engine.listen({ port: 0 });
    const port = Number(new URL(listener.address).port);
    const steps = latencies.flatMap((latency, at) =>
      Object.entries(CONTENDERS).map(([name, connect]) => ({
        doing: `${name}, ${latency} ms away`,
        run: async () => {
          await using proxy = await DelayProxy.start(port, latency);
          await using store = await open(`redis://127.0.0.1:${proxy.port}`);
          const step = await connect(store, space);
          measured.set(name, at, await race([step], Math.max(seconds, (latency * 6) / 1_000), 1, signal));
        },
      })),
    );
    yield* inSteps(steps, signal, () => ({
      tables: [],
      charts: [
        {
          ...{ title: 'Updates a second', unit: 'updates/s', axis: 'round trip, ms' },
          positions: latencies.map(String),
          series: [
            { label: 'one by one', kind: 'guide', values: [...measured.of('one by one')] },
            { label: 'in a pipeline', kind: 'guide', values: [...measured.of('in a pipeline')] },
            { label: 'ours, one script', kind: 'ours', values: [...measured.of('ours, one script')] },
            {
              label: 'published, one by one',
              kind: 'published',
              values: publishedAt(PUBLISHED_PLAIN, latencies),
            },
            {
              label: 'published, pipeline',
              kind: 'published',
              values: publishedAt(PUBLISHED_PIPELINED, latencies),
            },
          ],
        },
      ],
    }));
  },
};
