import { type BoundScript, type DefaultShape, type Store, StoreError } from '../../store/index.js';
import { KitError, throwIfAborted } from '../foundation/index.js';
import { CHAIN_START, nextInChain } from './chain.js';
import { answer, changed } from './problems.js';
import { blocksOf, type FileSource } from './source.js';
import { AWAIT_ROOM, PUT, type TransferKeys, type TransferState } from './transfer-scripts.js';

/** The progress of a transfer. */
export interface FileProgress {
  readonly blocks: number;
  readonly bytes: number;
}

/** A file that has been sent or received. */
export interface FileSummary extends FileProgress {
  /** Digest of the chain over all blocks, in hexadecimal: the same on both sides. */
  readonly digest: string;
}

export interface SendingOptions {
  readonly name: string;
  readonly keys: TransferKeys;
  readonly signal: AbortSignal | undefined;
  onProgress(progress: FileProgress): void;
}

/** Max length of one blocking request, in seconds, so that a dead connection or a deleted transfer is noticed. */
const MAX_WAIT = 30;

/** The store has lost blocks that it had confirmed, as can happen in a failover. */
const LOST = 'LOST';

/** The sending half: puts blocks into the store, as many as there is room for. */
export class Sending {
  readonly #store: Store;
  readonly #options: SendingOptions;
  readonly #put: BoundScript<DefaultShape, typeof PUT.keys, typeof PUT.args, TransferState | number>;
  readonly #awaitRoom: BoundScript<
    DefaultShape,
    typeof AWAIT_ROOM.keys,
    typeof AWAIT_ROOM.args,
    TransferState | number
  >;

  constructor(store: Store, options: SendingOptions) {
    const { signal } = options;
    this.#store = signal === undefined ? store : store.with({ signal });
    this.#options = options;
    this.#put = this.#store.script(PUT);
    this.#awaitRoom = this.#store.script(AWAIT_ROOM);
  }

  /** Sends the missing blocks. A file is read again if the store loses blocks meanwhile. */
  async run(source: FileSource, begin: () => Promise<TransferState>): Promise<FileSummary> {
    for (;;) {
      try {
        return await this.#send(source, await begin());
      } catch (error) {
        const canRepeat = typeof source === 'string' && error instanceof KitError && error.code === LOST;
        if (!canRepeat) throw error;
      }
    }
  }

  async #send(source: FileSource, begun: TransferState): Promise<FileSummary> {
    let state = begun;
    let [number, bytes, digest] = [0, 0, CHAIN_START];
    for await (const block of blocksOf(source, begun.blockSize)) {
      throwIfAborted(this.#options.signal);
      number++;
      const previous = digest;
      digest = nextInChain(previous, block);
      state = await this.#bring({ number, previous, digest, block }, state);
      bytes += block.length;
      if (block.length > 0) this.#options.onProgress({ blocks: number, bytes });
    }
    if (state.count !== number) throw changed(this.#options.name);
    return { blocks: number - 1, bytes, digest };
  }

  /** Returns when the transfer has the block, possibly from an earlier attempt. */
  async #bring(link: Link, known: TransferState): Promise<TransferState> {
    const { name, keys } = this.#options;
    const { number, previous, digest, block } = link;
    let state = known;
    while (state.count < number) {
      if (state.count < number - 1) throw lost(name);
      if (state.digest !== previous || state.isDone) throw changed(name);
      state =
        state.room < block.length
          ? await this.#waitForRoom(block.length)
          : answer(await this.#put({ ...keys, number, previous, following: digest, block }), name);
    }
    if (state.count === number && state.digest !== digest) throw changed(name);
    return state;
  }

  async #waitForRoom(size: number): Promise<TransferState> {
    const { name, keys } = this.#options;
    for (;;) {
      const state = answer(await this.#awaitRoom({ ...keys, size }), name);
      if (state.room >= size) return state;
      await this.#store.send('BLPOP', keys.room, MAX_WAIT).catch(unlessLost);
    }
  }
}

/** After a lost connection the sender checks for room and waits again. */
function unlessLost(error: unknown): void {
  if (!(error instanceof StoreError) || error.code !== 'UNREACHABLE') throw error;
}

/** A block and the digests of the chain before and with it. */
interface Link {
  readonly number: number;
  readonly previous: string;
  readonly digest: string;
  readonly block: Buffer;
}

function lost(name: string): KitError {
  const text = `the store has lost blocks of the transfer '${name}' that it had confirmed: send again, from the beginning of the source`;
  return new KitError(LOST, text);
}
