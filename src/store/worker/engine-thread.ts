/** The thread of an engine. It runs the engine until it is told to end, and accepts connections from its gates. Another use: SCRIPT DEBUG. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { type DebugStart, debugInThread } from '../../persistence/debug-thread.js';
import { parseAddress } from '../address.js';
import type { Line } from '../connector/line.js';
import { LocalConnections } from '../connector/local-connections.js';
import { EmbeddedEngine } from '../embedded/embedded-engine.js';
import type { ManualClock } from '../embedded/manual-clock.js';
import { StoreError } from '../store-error.js';
import {
  type FromThread,
  ownBytes,
  type ThreadStart,
  type ToClient,
  type ToEngine,
  type ToGate,
  type ToThread,
} from './port-messages.js';
import { followingClock } from './thread-clock.js';

if (parentPort !== null) start(parentPort, workerData as ThreadStart | DebugStart);

/** The thread either serves an engine, or debugs a script on a copy of a server's data. */
function start(parent: MessagePort, data: ThreadStart | DebugStart): void {
  if ('debuggedData' in data) debugInThread(data);
  else void serve(parent, data);
}

async function serve(parent: MessagePort, start: ThreadStart): Promise<void> {
  const following = start.clock === undefined ? undefined : followingClock(start.clock);
  let embedded: EmbeddedEngine;
  try {
    embedded = await openEngine(start, following?.clock);
  } catch (error) {
    const { code, message } = error instanceof StoreError ? error : { code: 'FILES', message: String(error) };
    parent.postMessage({ code, message } satisfies FromThread);
    return;
  }
  const connections = new LocalConnections(embedded.engine);
  embedded.onClose(() => connections.close());
  const gates: MessagePort[] = [];
  parent.on('message', (message: ToThread) => {
    if (message === 'close') void end(embedded);
    else if ('advanceTo' in message) following?.follow(message.advanceTo);
    else {
      gates.push(message.gate);
      message.gate.on('message', (port: ToGate) => connect(connections, port));
    }
  });
  parent.postMessage('ready' satisfies FromThread);
}

async function openEngine(
  { address, settings, seed, scriptTimeout }: ThreadStart,
  clock: ManualClock | undefined,
): Promise<EmbeddedEngine> {
  const options = {
    settings,
    ...(seed === undefined ? {} : { seed }),
    ...(scriptTimeout === undefined ? {} : { scriptTimeout }),
    ...(clock === undefined ? {} : { clock }),
  };
  const parsed = parseAddress(address);
  if (parsed.kind !== 'file') return new EmbeddedEngine(options);
  const { openFolder } = await import('../embedded/open-file.js');
  return openFolder(parsed.folder, options);
}

function connect(connections: LocalConnections, port: MessagePort): void {
  const tell = (message: ToClient): void => port.postMessage(message);
  const line: Line = connections.connect({
    deliver: (bytes) => {
      const own = ownBytes(bytes);
      port.postMessage(own satisfies ToClient, [own.buffer]);
    },
    ended: () => tell(null),
    cut: () => port.close(),
    closing: () => tell('closing'),
    drained: () => tell('drained'),
  });
  port.on('message', (message: ToEngine) => {
    if (message === null) line.end();
    else {
      let takesMore = true;
      for (const piece of message) takesMore = line.receive(piece);
      if (!takesMore) tell('full');
    }
  });
  port.on('close', () => line.gone());
}

async function end(embedded: EmbeddedEngine): Promise<void> {
  await embedded.close();
  // Connections end in the next turn. After that the thread may exit.
  setImmediate(() => process.exit());
}
