import type { BoundScript, BytesShape, DefaultShape, Store } from '../../store/index.js';
import { KitError, throwIfAborted } from '../foundation/index.js';
import { nextInChain } from './chain.js';
import { answer, damaged } from './problems.js';
import {
  ACKNOWLEDGE,
  type BlockEntry,
  PLACE,
  type ReaderPlace,
  type TransferKeys,
} from './transfer-scripts.js';

export interface ReceivingOptions {
  readonly name: string;
  readonly reader: string;
  readonly keys: TransferKeys;
  readonly signal: AbortSignal | undefined;
}

/** A verified block, and the digest of the chain up to it. */
export interface ReceivedBlock {
  readonly block: Buffer;
  readonly digest: string;
}

/** Max length of one blocking request, in ms, so that a dead connection or a deleted transfer is noticed. */
const MAX_WAIT = 30_000;

/** Another process reads under the same name. */
const CONFLICT = 'CONFLICT';

/**
 * Whether a reader that has just started should ask for its position again: the last acknowledgement of a dead process
 * may have arrived late.
 */
export function wasLate(error: unknown): boolean {
  return error instanceof KitError && error.code === CONFLICT;
}

/** The receiving half: hands out blocks in order, each when the one before it is acknowledged. */
export class Receiving {
  readonly #options: ReceivingOptions;
  readonly #waiting: Store<BytesShape<DefaultShape>>;
  readonly #place: BoundScript<DefaultShape, typeof PLACE.keys, typeof PLACE.args, ReaderPlace | number>;
  readonly #acknowledge: BoundScript<
    BytesShape<DefaultShape>,
    typeof ACKNOWLEDGE.keys,
    typeof ACKNOWLEDGE.args,
    { readonly place: number; readonly entry: BlockEntry | undefined } | number
  >;

  constructor(store: Store, options: ReceivingOptions) {
    this.#options = options;
    const { signal } = options;
    const limited = signal === undefined ? store : store.with({ signal });
    this.#waiting = limited.bytes;
    this.#place = limited.script(PLACE);
    this.#acknowledge = limited.bytes.script(ACKNOWLEDGE);
  }

  /** The reader's position: its last acknowledged block. */
  async place(): Promise<ReaderPlace> {
    const { name, reader, keys } = this.#options;
    return answer(await this.#place({ ...keys, reader }), name, reader);
  }

  /** The blocks from the reader's position on. */
  async *goOn(): AsyncGenerator<ReceivedBlock, void, undefined> {
    for (let hasBegun = false; ; ) {
      try {
        for await (const received of this.follow(await this.place())) {
          hasBegun = true;
          yield received;
        }
        return;
      } catch (error) {
        if (hasBegun || !wasLate(error)) throw error;
      }
    }
  }

  /** The blocks after a position, including the empty one at the end. Requesting the next one acknowledges the previous one. */
  async *follow(start: ReaderPlace): AsyncGenerator<ReceivedBlock, void, undefined> {
    let { number, digest, isOver } = start;
    while (!isOver) {
      throwIfAborted(this.#options.signal);
      const entry = (await this.#moveTo(number, digest)) ?? (await this.#wait(number));
      if (entry === undefined) continue;
      const block = this.#verified(entry, number + 1, digest);
      number++;
      digest = nextInChain(digest, block);
      isOver = block.length === 0;
      yield { block, digest };
    }
    if (!start.isOver) await this.#moveTo(number, digest);
  }

  /** Acknowledges everything up to here, and returns the next block if there is one. */
  async #moveTo(number: number, digest: string): Promise<BlockEntry | undefined> {
    const { name, reader, keys } = this.#options;
    const reply = await this.#acknowledge({ ...keys, reader, reached: number, chain: digest });
    const { place, entry } = answer(reply, name, reader);
    if (place <= number) return entry;
    const text = `another process reads the transfer '${name}' as '${reader}': only one at a time may`;
    throw new KitError(CONFLICT, text);
  }

  async #wait(number: number): Promise<BlockEntry | undefined> {
    const { blocks } = this.#options.keys;
    const reply = await this.#waiting.send(
      'XREAD',
      'COUNT',
      1,
      'BLOCK',
      MAX_WAIT,
      'STREAMS',
      blocks,
      `${number}-0`,
    );
    return (reply as [[Buffer, [BlockEntry]]] | null)?.[0][1][0];
  }

  #verified([id, fields]: BlockEntry, number: number, digest: string): Buffer {
    const [, stored, , block] = fields;
    const where = `block ${number} of the transfer '${this.#options.name}'`;
    if (id.toString() !== `${number}-0`) throw damaged(`${where} is missing`);
    if (nextInChain(digest, block) !== stored.toString()) throw damaged(`${where} is damaged`);
    return block;
  }
}
