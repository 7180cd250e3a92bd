import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { KitError } from '../foundation/index.js';
import { CHAIN_START, nextInChain } from './chain.js';
import { type Receiving, wasLate } from './receiving.js';
import type { FileProgress, FileSummary } from './sending.js';
import { readFile } from './source.js';
import type { ReaderPlace } from './transfer-scripts.js';

export interface WritingOptions {
  /** Bytes are on the disk, not only in the file, before they are acknowledged. */
  readonly sync: boolean;
  onProgress(progress: FileProgress): void;
}

/** Writes received blocks into a file, and acknowledges a block only when it is written. */
export async function receiveTo(
  receiving: Receiving,
  path: string,
  options: WritingOptions,
): Promise<FileSummary> {
  await using file = await open(path, constants.O_RDWR | constants.O_CREAT);
  for (;;) {
    const start = await receiving.place();
    await checkWritten(path, start);
    const writing = new Writing(file, start, options);
    try {
      return await writing.run(receiving);
    } catch (error) {
      if (writing.hasBegun || !wasLate(error)) throw error;
    }
  }
}

/** The file must hold what was acknowledged. */
async function checkWritten(path: string, { blockSize, bytes, digest, isOver }: ReaderPlace): Promise<void> {
  let [found, chain] = [0, CHAIN_START];
  for await (const block of readFile(path, blockSize, bytes)) {
    found += block.length;
    chain = nextInChain(chain, block);
  }
  if (isOver) chain = nextInChain(chain, new Uint8Array(0));
  if (found === bytes && chain === digest) return;
  const what = `${path} does not hold the ${bytes} bytes that were acknowledged: it was changed, or is another file`;
  throw new KitError('DAMAGED', `${what}. Restore it, or remove the transfer and send the file again`);
}

class Writing {
  readonly #file: FileHandle;
  readonly #start: ReaderPlace;
  readonly #options: WritingOptions;
  #blocks: number;
  #bytes: number;
  hasBegun = false;

  constructor(file: FileHandle, start: ReaderPlace, options: WritingOptions) {
    this.#file = file;
    this.#start = start;
    this.#options = options;
    this.#blocks = start.isOver ? start.number - 1 : start.number;
    this.#bytes = start.bytes;
  }

  async run(receiving: Receiving): Promise<FileSummary> {
    let last = this.#start.digest;
    for await (const { block, digest } of receiving.follow(this.#start)) {
      await this.#write(block);
      last = digest;
    }
    return { blocks: this.#blocks, bytes: this.#bytes, digest: last };
  }

  async #write(block: Buffer): Promise<void> {
    // Bytes after the position were written but not acknowledged, or belong to an older file.
    if (!this.hasBegun) await this.#file.truncate(this.#bytes);
    this.hasBegun = true;
    for (let done = 0; done < block.length; ) {
      const left = block.length - done;
      const { bytesWritten } = await this.#file.write(block, done, left, this.#bytes + done);
      done += bytesWritten;
    }
    if (this.#options.sync) await this.#file.datasync();
    if (block.length === 0) return;
    this.#blocks++;
    this.#bytes += block.length;
    this.#options.onProgress({ blocks: this.#blocks, bytes: this.#bytes });
  }
}
