import { setTimeout as sleep } from 'node:timers/promises';
import type { BytesShape, Message } from '../../../store/store.js';
import type { DefaultShape } from '../../../store/value.js';
import { invalid } from '../../frame/api-error.js';
import type { ApiCall, Emit } from '../../frame/route.js';
import { type ApiRoute, change, read, stream } from '../../frame/route.js';
import { toWire } from '../../frame/wire-bytes.js';
import { namedServer } from './each.js';

const MAX_MESSAGE = 4 * 1024;
const BUFFER = 1_000;

/** Publish/subscribe, and MONITOR. */
export const listeningRoutes: readonly ApiRoute[] = [
  stream('server/monitor', monitor),

  read('server/channels', async ({ store }) => {
    const channels = (await store.bytes.send('PUBSUB CHANNELS')) as unknown as Buffer[];
    const shown = channels.slice(0, 200);
    const counts =
      shown.length === 0 ? [] : ((await store.bytes.send('PUBSUB NUMSUB', ...shown)) as unknown as unknown[]);
    return {
      patterns: Number(await store.send('PUBSUB NUMPAT')),
      channels: shown.map((channel, index) => ({
        channel: toWire(channel),
        subscribers: Number(counts[2 * index + 1]),
      })),
    };
  }),

  stream('server/messages', async (call, emit) => {
    const pattern = call.inputs.text('pattern', '*');
    if (pattern === '') throw invalid('`pattern` must be a pattern of channel names');
    await using messages = await call.store.bytes.psubscribe(pattern, {
      buffer: BUFFER,
      overflow: 'drop-oldest',
      signal: call.signal,
    });
    await emit('ready', {});
    await forward(messages, call, emit);
  }),

  change('server/publish', async ({ store, inputs }) => ({
    receivers: Number(await store.send('PUBLISH', inputs.bytes('channel'), inputs.bytes('message'))),
  })),
];

type BytesMessage = Message<BytesShape<DefaultShape>>;

async function forward(
  messages: AsyncIterable<BytesMessage> & { readonly dropped: number },
  { signal }: ApiCall,
  emit: Emit,
): Promise<void> {
  for await (const { channel, message } of messages) {
    if (signal.aborted) return;
    await emit('message', {
      at: Date.now(),
      channel: toWire(channel),
      message: toWire(message.subarray(0, MAX_MESSAGE)),
      length: message.length,
      dropped: messages.dropped,
    });
  }
}

const MONITOR_MS = 30_000;
/** More lines than this per second are counted, not sent. */
const MAX_PER_SECOND = 200;
const MAX_LINE = 300;

/** All commands of one server for half a minute, as a sample: MONITOR slows a server down. */
async function monitor(call: ApiCall, emit: Emit): Promise<void> {
  const limit = AbortSignal.any([call.signal, AbortSignal.timeout(MONITOR_MS)]);
  let lines: { source: string; command: string }[] = [];
  let seen = 0;
  let failure: Error | undefined;
  const connection = await namedServer(call).monitor(
    {
      command: (source, command) => {
        seen++;
        if (lines.length < MAX_PER_SECOND) lines.push({ source, command: command.slice(0, MAX_LINE) });
      },
      ended: (error) => {
        failure = error;
      },
    },
    { signal: call.signal },
  );
  try {
    await emit('ready', {});
    while (!limit.aborted && failure === undefined) {
      await sleep(500, undefined, { signal: limit }).catch(() => {});
      const batch = { seen, lines };
      lines = [];
      seen = 0;
      await emit('lines', batch);
    }
    if (failure !== undefined) throw failure;
  } finally {
    await connection.close();
  }
}
