import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { Bytes } from '../bytes/bytes.js';
import { Crc64 } from '../bytes/crc64.js';
import { parseUserFile } from '../commands/acl/user-file.js';
import { SettingError } from '../commands/config/kinds.js';
import { Settings } from '../commands/config/settings.js';
import { type DebugChannel, silentSink } from '../commands/session.js';
import { Engine } from '../engine/engine.js';
import { MemorySource } from '../rdb/byte-source.js';
import { type FileSource, RdbLoader } from '../rdb/rdb-loader.js';
import { RespWriter } from '../resp/resp-writer.js';
import { functionLoading } from './function-loading.js';

/** What a thread of SCRIPT DEBUG YES needs: the data and the state of the server and of the client's session. */
export interface DebugStart {
  /** A snapshot in RDB format. */
  readonly debuggedData: Uint8Array;
  readonly databases: number;
  readonly settings: readonly (readonly [name: string, text: string])[];
  /** Lines of an ACL file. */
  readonly users: readonly string[];
  readonly session: {
    readonly db: number;
    readonly protocol: 2 | 3;
    readonly user: string | undefined;
  };
  /** EVAL and its arguments. */
  readonly words: readonly Uint8Array[];
  /** Brings the client's input, and null at its end; takes the output, and null at its end. */
  readonly port: MessagePort;
  /** Changes with each message for the thread. */
  readonly signal: Int32Array;
}

/** Runs the script with the debugger in this thread, on an engine of its own. */
export function debugInThread(start: DebugStart): void {
  const { port, words } = start;
  const engine = copiedEngine(start);
  const writer = new RespWriter();
  const channel = portChannel(start);
  const session = engine.openSession({ ...silentSink, debugChannel: () => channel });
  session.db = engine.database(start.session.db);
  session.protocol = start.session.protocol;
  session.debugging = 'sync';
  engine.users.assume(session, start.session.user);
  engine.beginTurn();
  engine.execute(
    session,
    words.map((word) => new Bytes(Buffer.from(word))),
    words.length,
    writer,
  );
  channel.write(writer.buffer.subarray(0, writer.length));
  port.postMessage(null);
  engine.close();
  port.close();
}

function copiedEngine({ databases, settings, users, debuggedData }: DebugStart): Engine {
  const copies = new Settings();
  for (const [name, text] of settings) if (copies.text(name) !== text) configure(copies, name, text);
  const engine = new Engine({ settings: copies, databases });
  const defined = parseUserFile(users.join('\n'), 'users', engine.users);
  if (typeof defined !== 'string') engine.users.replaceAll(defined, undefined);
  const loader = new RdbLoader(new SnapshotBytes(Buffer.from(debuggedData)), engine.keyspace, {
    skipsExpired: false,
    replaces: false,
    isThorough: false,
    hasChecksum: false,
    onFunction: functionLoading(engine, false),
  });
  engine.keyspace.passTime();
  engine.keyspace.effects.silently(() => loader.step(Number.POSITIVE_INFINITY));
  return engine;
}

/** Settings of the process and of its files, which this engine does not have, may be refused. */
function configure(settings: Settings, name: string, text: string): void {
  try {
    settings.configure(name, text);
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
  }
}

/** A snapshot in memory. Its checksum is not verified: it was never stored. */
class SnapshotBytes extends MemorySource implements FileSource {
  readonly position = 0;

  checksum(): Crc64 {
    return new Crc64();
  }
}

function portChannel({ port, signal }: DebugStart): DebugChannel {
  return {
    read() {
      for (;;) {
        const seen = Atomics.load(signal, 0);
        const received = receiveMessageOnPort(port) as { readonly message: Uint8Array | null } | undefined;
        if (received === undefined) Atomics.wait(signal, 0, seen);
        else return received.message === null ? undefined : Buffer.from(received.message);
      }
    },
    write(bytes) {
      port.postMessage(Buffer.from(bytes));
    },
  };
}
