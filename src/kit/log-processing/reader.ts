import type { Store } from '../../store/index.js';
import { throwIfAborted } from '../foundation/index.js';
import { readBatch } from './line-batch.js';
import {
  closeAll,
  fits,
  HEAD_BYTES,
  headOf,
  type LogFile,
  type Mark,
  openLogFiles,
  type Reading,
  readingsOf,
} from './log-files.js';
import type { LineHandler, LogStatus, Processed, ReaderOptions } from './log-processor.js';
import { BatchTally, type KeyOf } from './tally.js';

/** Marks of files that are gone are kept, in case they return; the hash holds no more than this. */
const MAX_MARKS = 1_000;
/** A file that was last changed this many ms before the newest one is complete, also if its last line has no line feed. */
const QUIET = 60_000;

/** One call of `process`. */
interface Pass {
  readonly handler: LineHandler;
  readonly signal: AbortSignal | undefined;
  readonly store: Store;
  lines: number;
  batches: number;
}

/** Reads the files of one folder, and stores positions and counts together. */
export class Reader {
  readonly #options: ReaderOptions;
  readonly #keyOf: KeyOf;
  readonly #commit: (commit: Commit) => Promise<boolean>;

  constructor(options: ReaderOptions) {
    this.#options = options;
    const { keys, guard } = options;
    this.#keyOf = (kind, name) => `${keys[kind]}:${name}`;
    this.#commit = guard.before((commit: Commit) => this.#storeTogether(commit));
  }

  /** Reads all files to their end. */
  async readAll(handler: LineHandler, signal: AbortSignal | undefined): Promise<Processed> {
    const { store } = this.#options;
    const view = signal === undefined ? store : store.with({ signal });
    const pass: Pass = { handler, signal, store: view, lines: 0, batches: 0 };
    // If another reader was faster, or a file was replaced, the positions are read again.
    while (!(await this.#readOnce(pass)));
    return { lines: pass.lines, batches: pass.batches };
  }

  async #readOnce(pass: Pass): Promise<boolean> {
    throwIfAborted(pass.signal);
    const files = await openLogFiles(this.#options.folder, this.#options.match);
    try {
      const marks = await this.#marks(pass.store, files);
      const newest = Math.max(...files.map(({ modifiedAt }) => modifiedAt));
      for (const reading of await readingsOf(files, marks)) {
        const { identity, modifiedAt } = reading.file;
        const isComplete = modifiedAt < newest - QUIET;
        if (!(await this.#readFile(pass, reading, marks.get(identity), isComplete))) return false;
      }
      return true;
    } finally {
      await closeAll(files);
    }
  }

  /** Returns false if the position was changed by another reader, or the file was replaced. */
  async #readFile(
    pass: Pass,
    { file, mark, isCopy }: Reading,
    stored: Mark | undefined,
    isComplete: boolean,
  ): Promise<boolean> {
    const { store } = pass;
    let expected = stored;
    let current = mark;
    if (isCopy && mark !== undefined) {
      const tally = new BatchTally(this.#keyOf);
      if (!(await this.#commit({ store, file, expected, next: mark, tally }))) return false;
      expected = mark;
    }
    for (;;) {
      throwIfAborted(pass.signal);
      const batch = await readBatch(file.handle, current?.offset ?? 0, this.#options.batch, isComplete);
      if (batch === undefined) return true;
      const tally = new BatchTally(this.#keyOf);
      for (const { text, offset } of batch.lines) {
        const done = pass.handler(text, tally, { file: file.name, offset });
        if (done instanceof Promise) await done;
        throwIfAborted(pass.signal);
      }
      if (current !== undefined && !(await stillFits(file, current))) return false;
      const next = await markAt(file, batch.end, current);
      if (!(await this.#commit({ store, file, expected, next, tally }))) return false;
      pass.lines += batch.lines.length;
      pass.batches++;
      expected = next;
      current = next;
    }
  }

  /** Stores a position and what was counted up to it, unless another reader has changed the position. */
  async #storeTogether({ store, file, expected, next, tally }: Commit): Promise<boolean> {
    const { keys } = this.#options;
    const before = expected === undefined ? null : encode(expected);
    const done = await store.transaction({ watch: [keys.progress] }, async (queue, watched) => {
      if ((await watched.hget(keys.progress, file.identity)) !== before) return undefined;
      return [
        queue.hset(keys.progress, { [file.identity]: encode(next) }),
        ...(tally.keys.size === 0 ? [] : [queue.send('SADD', keys.keys, ...tally.keys)]),
        ...tally.queue(queue),
      ];
    });
    return done !== undefined;
  }

  /** The stored positions. Beyond the limit, those of files that are gone are dropped. */
  async #marks(store: Store, files: readonly LogFile[]): Promise<Map<string, Mark>> {
    const { keys } = this.#options;
    const marks = new Map(Object.entries(await store.hgetall(keys.progress)).map(decodeEntry));
    if (marks.size <= MAX_MARKS) return marks;
    const here = new Set(files.map(({ identity }) => identity));
    const gone = [...marks.keys()].filter((identity) => !here.has(identity));
    const surplus = gone.slice(0, marks.size - MAX_MARKS);
    if (surplus.length > 0) await store.hdel(keys.progress, surplus);
    for (const identity of surplus) marks.delete(identity);
    return marks;
  }

  async status(): Promise<LogStatus[]> {
    const { store, keys } = this.#options;
    const marks = Object.entries(await store.hgetall(keys.progress)).map(decodeEntry);
    return marks.map(([, { file, offset }]) => ({ file, offset })).sort((a, b) => (a.file < b.file ? -1 : 1));
  }

  async clear(): Promise<void> {
    const { store, keys } = this.#options;
    await store.transaction({ watch: [keys.keys, keys.progress] }, async (queue, watched) => {
      const counted = await watched.smembers(keys.keys);
      return [queue.send('UNLINK', keys.progress, keys.keys, ...counted)];
    });
  }
}

interface Commit {
  readonly store: Store;
  readonly file: LogFile;
  /** What must be stored for the file now. */
  readonly expected: Mark | undefined;
  readonly next: Mark;
  readonly tally: BatchTally;
}

/** The file may have been truncated while it was read. */
async function stillFits(file: LogFile, mark: Mark): Promise<boolean> {
  const { size } = await file.handle.stat();
  return fits({ ...file, size }, mark);
}

async function markAt(file: LogFile, offset: number, before: Mark | undefined): Promise<Mark> {
  if (before?.headLength === HEAD_BYTES) return { ...before, offset, file: file.name };
  const headLength = Math.min(offset, HEAD_BYTES);
  return { offset, head: await headOf(file, headLength), headLength, file: file.name };
}

function encode({ offset, head, headLength, file }: Mark): string {
  return JSON.stringify([offset, head, headLength, file]);
}

function decodeEntry([identity, text]: readonly [string, string]): readonly [string, Mark] {
  const [offset, head, headLength, file] = JSON.parse(text) as [number, string, number, string];
  return [identity, { offset, head, headLength, file }];
}
