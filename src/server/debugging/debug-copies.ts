import { MessageChannel, type MessagePort, receiveMessageOnPort, type Worker } from 'node:worker_threads';
import { CommandError } from '../../commands/errors.js';
import type { Session } from '../../commands/session.js';
import type { Engine } from '../../engine/engine.js';
import type { DebugStart } from '../../persistence/debug-thread.js';
import { rdbFormat } from '../../persistence/rdb-options.js';
import { writeKeyspace } from '../../persistence/snapshot/write-snapshot.js';
import type { HandedOver, InputReceiver } from './handed-over.js';

/**
 * The sessions of SCRIPT DEBUG YES. Redis forks for each. Here each has a thread with an engine of its own, which is loaded with a
 * snapshot of the data; what the script changes there is lost with the thread. The server goes on meanwhile: it passes the client's
 * input to the thread, and the thread's output to the client.
 */
export class DebugCopies {
  readonly #engine: Engine;
  readonly #maxSessions: number;
  #sessions = 0;
  readonly #running = new Map<Worker, HandedOver>();

  constructor(engine: Engine, maxSessions = MAX_SESSIONS) {
    this.#engine = engine;
    this.#maxSessions = maxSessions;
  }

  /** Runs EVAL, whose words these are, on a copy of the data as it is now. Throws if there are too many copies already. */
  start(
    session: Session,
    words: readonly Uint8Array[],
    handOver: (receive: InputReceiver) => HandedOver,
  ): void {
    if (this.#sessions >= this.#maxSessions) {
      const reason = `${this.#sessions} sessions with copies of the data are running. End one first`;
      throw new CommandError(`ERR Fork() failed: can't run EVAL in debugging mode: ${reason}`);
    }
    this.#sessions++;
    const { port1: port, port2 } = new MessageChannel();
    const signal = new Int32Array(new SharedArrayBuffer(4));
    const start: DebugStart = { ...this.#copy(session), words, port: port2, signal };
    this.#engine.host.log('warning', 'Redis forked for debugging eval');
    const connection = handOver((bytes) => {
      port.postMessage(bytes ?? null);
      Atomics.add(signal, 0, 1);
      Atomics.notify(signal, 0);
    });
    void this.#run(start, port, connection);
  }

  #copy({ db, protocol, user }: Session): Omit<DebugStart, 'words' | 'port' | 'signal'> {
    const { keyspace, settings, users } = this.#engine;
    const chunks: Buffer[] = [];
    writeKeyspace(keyspace, rdbFormat(this.#engine), false, (chunk) => chunks.push(Buffer.from(chunk)));
    return {
      debuggedData: Buffer.concat(chunks),
      databases: keyspace.databases.length,
      settings: [...settings.matching(['*'])],
      users: users.describe(),
      session: { db: db.index, protocol, user: user?.name },
    };
  }

  async #run(start: DebugStart, port: MessagePort, connection: HandedOver): Promise<void> {
    const { startThread } = await import('../../engine/start-thread.js');
    const worker = startThread({ workerData: start, execArgv: [], transferList: [start.port] });
    this.#running.set(worker, connection);
    const pass = (bytes: Uint8Array | null): void => {
      if (bytes !== null) connection.write(Buffer.from(bytes));
      else connection.end();
    };
    port.on('message', pass);
    worker.on('error', ({ message }) => connection.write(Buffer.from(`-ERR ${message}\r\n`)));
    worker.on('exit', () => {
      this.#running.delete(worker);
      this.#sessions--;
      this.#engine.host.log('warning', 'Lua debugging session child exiting');
      // On a busy machine, the end of the thread may be told before its last messages.
      for (let last = receiveMessageOnPort(port); last !== undefined; last = receiveMessageOnPort(port)) {
        pass(last.message);
      }
      port.close();
      connection.end();
    });
  }

  close(): void {
    for (const [worker, connection] of this.#running) {
      this.#engine.host.log('warning', `Killing debugging session ${worker.threadId}`);
      void worker.terminate();
      connection.end();
    }
  }
}

/** Each has a copy of all data. */
const MAX_SESSIONS = 10;
