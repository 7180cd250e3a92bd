/** The thread of a node that `serveCluster` starts. It runs until it is told to end. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { parseNodesFile } from '../../cluster/node-lines.js';
import type { Topology } from '../../cluster/topology.js';
import { type RunningServer, ServeError, startServer } from '../serve.js';

/** What the thread is given. */
export interface NodeStart {
  /** What a new node knows of the cluster. A node that has a file of its own uses that. */
  readonly nodesFile: string;
  readonly settings: Readonly<Record<string, string | number | boolean | undefined>>;
}

/** The thread's only message. */
export type NodeAnswer = 'ready' | { readonly setting: string | undefined; readonly message: string };

if (parentPort !== null) void run(parentPort, workerData as NodeStart);

async function run(parent: MessagePort, { nodesFile, settings }: NodeStart): Promise<void> {
  const answer = (message: NodeAnswer): void => parent.postMessage(message);
  let server: RunningServer | undefined;
  parent.on('message', () => {
    void (server?.close() ?? Promise.resolve()).finally(() => process.exit());
  });
  try {
    const topology = parseNodesFile(nodesFile, Date.now()) as Topology;
    server = await startServer(settings, { topology, writableDelayMs: 0 });
    answer('ready');
  } catch (error) {
    const { message } = error as Error;
    answer({ setting: error instanceof ServeError ? error.setting : undefined, message });
  }
}
