import type { Store } from '../../store/index.js';
import {
  abortSignal,
  callback,
  checkName,
  checkStore,
  EVICTION_RULES,
  EvictionGuard,
  type EvictionOptions,
  flag,
  integer,
  KitError,
  keyNaming,
  milliseconds,
  optional,
  resolveOptions,
  ruled,
  text,
} from '../foundation/index.js';
import { CHAIN_START } from './chain.js';
import { answer } from './problems.js';
import { receiveTo } from './receive-to.js';
import { Receiving } from './receiving.js';
import { type FileProgress, type FileSummary, Sending } from './sending.js';
import type { FileSource } from './source.js';
import { ADD_READER, BEGIN, DROP_READER, STATUS, TRANSFER_PARTS } from './transfer-scripts.js';

export interface FilesOptions extends EvictionOptions {
  /** Prefix of all keys. Default `file`. */
  readonly prefix?: string;
}

/** Options of a new transfer. An existing transfer keeps its first options. */
export interface TransferOptions {
  /** Names of the readers. */
  readonly readers?: readonly string[];
  /** Bytes per block. Default 262,144. */
  readonly blockSize?: number;
  /** Max bytes in the store at a time, not yet read by all readers. Default 16,777,216. */
  readonly space?: number;
  /** Ms without a block or acknowledgement after which the transfer expires. Default a day. */
  readonly expiry?: number;
  /** Ms for which a finished transfer can still be queried. Default an hour. */
  readonly remember?: number;
}

export interface SendOptions extends TransferOptions {
  /** Ends sending with `ABORTED`; it can be resumed. */
  readonly signal?: AbortSignal;
  /** Called for each block that is in the store, including those of earlier attempts. */
  readonly onProgress?: (progress: FileProgress) => void;
}

export interface ReceiveOptions {
  /** Ends receiving with `ABORTED`; it can be resumed. */
  readonly signal?: AbortSignal;
}

export interface ReceiveToOptions extends ReceiveOptions {
  /**
   * Wait for the disk before acknowledging, so that no data is lost in a power failure. With false, bytes are only handed
   * to the operating system, which is enough if a process dies. Default true.
   */
  readonly sync?: boolean;
  /** Called for each block that is in the file. */
  readonly onProgress?: (progress: FileProgress) => void;
}

export interface TransferStatus extends FileProgress {
  /** Bytes that are in the store. */
  readonly held: number;
  /** The sender has sent everything. */
  readonly isSent: boolean;
  /** All readers have read everything. */
  readonly isRead: boolean;
  readonly readers: readonly ReaderStatus[];
}

export interface ReaderStatus {
  readonly reader: string;
  /** The number of acknowledged blocks. */
  readonly blocks: number;
  readonly isDone: boolean;
}

/**
 * Sends large files through the store, block by block, to several readers. A block is dropped when all have read it, and
 * the sender waits while the store holds `space` bytes. Sender and readers may die at any time: called again, they resume
 * where they stopped, and a chain of digests makes sure that it is the same file from beginning to end.
 */
export interface Files {
  /** Begins a transfer without sending yet; `EXISTS` if there is one of that name. */
  create(name: string, options: TransferOptions & { readonly readers: readonly string[] }): Promise<void>;
  /**
   * Sends a file; returns when all of it is in the store or read. Begins the transfer if it does not exist, which requires
   * `readers`. Called again with the same source, it resumes where it stopped; with another one it fails with `CHANGED`.
   */
  send(name: string, source: FileSource, options?: SendOptions): Promise<FileSummary>;
  /**
   * The file's blocks, from the reader's position on. Each is acknowledged when the next one is requested: after a crash the
   * reader gets its last block again. Fails with `DAMAGED` at a block that differs from what was sent.
   */
  receive(name: string, reader: string, options?: ReceiveOptions): AsyncIterableIterator<Buffer>;
  /**
   * Receives into a file, or resumes: checks the existing content, then appends. A block is
   * acknowledged when it is in the file.
   */
  receiveTo(name: string, reader: string, path: string, options?: ReceiveToOptions): Promise<FileSummary>;
  /** Adds a reader; fails with `TOO_LATE` if blocks have been dropped. */
  addReader(name: string, reader: string): Promise<void>;
  /** Drops a reader. Returns the number of readers left; dropping the last one deletes the transfer. */
  dropReader(name: string, reader: string): Promise<number>;
  status(name: string): Promise<TransferStatus>;
  /** Deletes a transfer, whatever its state; false if there is none. */
  remove(name: string): Promise<boolean>;
}

/**
 * @example
 * const shipping = files(store);
 * await shipping.send('report', [Buffer.from('line 1\n'), Buffer.from('line 2\n')], { readers: ['ann'] });
 * for await (const block of shipping.receive('report', 'ann')) process.stdout.write(block); // line 1, line 2
 * (await shipping.status('report')).isRead; // true
 */
export function files(store: Store, options: FilesOptions = {}): Files {
  checkStore('files', store);
  const { prefix, ...eviction } = resolveOptions('files', options, FILES_RULES);
  const guard = new EvictionGuard(store, 'files', eviction);
  const keysOf = keyNaming('files', prefix, TRANSFER_PARTS);
  const scripts = {
    begin: guard.before(store.script(BEGIN)),
    addReader: store.script(ADD_READER),
    dropReader: store.script(DROP_READER),
    status: store.script(STATUS),
  };

  async function begin(
    name: string,
    { readers, blockSize, space, expiry, remember }: Beginning,
    signal?: AbortSignal,
  ) {
    const inputs = { size: blockSize, limit: space, expiry, remember, start: CHAIN_START, names: readers };
    const run = signal === undefined ? scripts.begin : store.with({ signal }).script(BEGIN);
    return answer(await run({ ...keysOf(name), ...inputs }), name);
  }

  function receiving(name: string, reader: string, signal: AbortSignal | undefined): Receiving {
    checkName('files', reader);
    return new Receiving(store, { name, reader, keys: keysOf(name), signal });
  }

  return {
    create: async (name, given) => {
      const { isNew } = await begin(name, checked(resolveOptions('files', given, NEW_TRANSFER_RULES)));
      if (isNew) return;
      throw new KitError('EXISTS', `the transfer '${name}' already exists: remove it, or use another name`);
    },
    send: async (name, source, given = {}) => {
      const { signal, onProgress, ...beginning } = resolveOptions('files', given, SEND_RULES);
      const sending = new Sending(store, { name, keys: keysOf(name), signal, onProgress });
      return sending.run(source, async () => (await begin(name, checked(beginning), signal)).state);
    },
    receive: (name, reader, given = {}) =>
      bytesIn(receiving(name, reader, resolveOptions('files', given, RECEIVE_RULES).signal)),
    receiveTo: async (name, reader, path, given = {}) => {
      const { signal, ...writing } = resolveOptions('files', given, RECEIVE_TO_RULES);
      return receiveTo(receiving(name, reader, signal), path, writing);
    },
    addReader: async (name, reader) => {
      checkName('files', reader);
      const added = await scripts.addReader({ ...keysOf(name), reader, start: CHAIN_START });
      if (added < 0) answer(added, name, reader);
      if (added === 0) throw tooLate(name, reader);
    },
    dropReader: async (name, reader) => {
      checkName('files', reader);
      const staying = await scripts.dropReader({ ...keysOf(name), reader });
      return staying < 0 ? answer<never>(staying, name, reader) : staying;
    },
    status: async (name) => {
      const [count, bytes, done, held, places] = answer(await scripts.status(keysOf(name)), name);
      const isSent = done === 1;
      const readers = readersIn(places, isSent ? count : Number.POSITIVE_INFINITY);
      const isRead = readers.every(({ isDone }) => isDone);
      return { blocks: isSent ? count - 1 : count, bytes, held, isSent, isRead, readers };
    },
    remove: async (name) => Number(await store.send('UNLINK', ...Object.values(keysOf(name)))) > 0,
  };
}

async function* bytesIn(receiving: Receiving): AsyncGenerator<Buffer, void, undefined> {
  for await (const { block } of receiving.goOn()) if (block.length > 0) yield block;
}

interface Beginning {
  readonly readers: readonly string[];
  readonly blockSize: number;
  readonly space: number;
  readonly expiry: number;
  readonly remember: number;
}

function checked<Options extends Beginning>(options: Options): Options {
  const { blockSize, space } = options;
  if (space >= blockSize) return options;
  throw new KitError(
    'OPTION',
    `files: \`space\` must be room for one block of ${blockSize} bytes, not ${space}`,
  );
}

/** Readers and the numbers of their last blocks, of which `end` is the empty one. */
function readersIn(places: readonly string[], end: number): ReaderStatus[] {
  return Array.from({ length: places.length / 2 }, (_, index) => {
    const place = Number(places[2 * index + 1]);
    const isDone = place === end;
    return { reader: places[2 * index] as string, blocks: isDone ? place - 1 : place, isDone };
  });
}

function tooLate(name: string, reader: string): KitError {
  const text = `'${reader}' cannot read the transfer '${name}': its beginning has been read by the others and dropped`;
  return new KitError('TOO_LATE', text);
}

function names(fallback?: readonly string[]) {
  return ruled<readonly string[]>((value) => {
    const isList = Array.isArray(value) && value.length > 0;
    const areNames = isList && value.every((name) => typeof name === 'string' && name !== '');
    return areNames ? undefined : "must be a list of names such as ['ann', 'bob']";
  }, fallback);
}

/** Max bytes of a block: the max length of a Redis string. */
const MAX_BLOCK = 512 * 1024 * 1024 - 1024;

const TRANSFER_RULES = {
  readers: names([]),
  blockSize: integer(256 * 1024, { min: 1, max: MAX_BLOCK }),
  space: integer(16 * 1024 * 1024, { min: 1 }),
  expiry: milliseconds(86_400_000, { min: 1 }),
  remember: milliseconds(3_600_000),
};

const FILES_RULES = { prefix: text('file'), ...EVICTION_RULES };
const NEW_TRANSFER_RULES = { ...TRANSFER_RULES, readers: names() };
const SEND_RULES = {
  ...TRANSFER_RULES,
  signal: optional(abortSignal()),
  onProgress: callback<(progress: FileProgress) => void>(() => {}),
};
const RECEIVE_RULES = { signal: optional(abortSignal()) };
const RECEIVE_TO_RULES = {
  ...RECEIVE_RULES,
  sync: flag(true),
  onProgress: callback<(progress: FileProgress) => void>(() => {}),
};
