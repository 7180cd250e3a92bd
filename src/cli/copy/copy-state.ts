import { createHash } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** The progress of a copy, in a file, so that the copy can be resumed. Without the addresses: they may have passwords. */
export class CopyState {
  readonly path: string;
  readonly #places: string;
  #isCopied = false;
  #isResumed = false;

  /** Reads the file, if it exists. A file of another copy is an error. */
  constructor(from: string, to: string, path?: string) {
    this.#places = createHash('sha256').update(`${from}\n${to}`).digest('hex');
    this.path = path ?? `sorrel-copy-${this.#places.slice(0, 12)}.json`;
    const saved = read(this.path);
    if (saved === undefined) return;
    if (saved.places !== this.#places) {
      throw new Error(
        `${this.path} belongs to a copy between other addresses: name another file with --state`,
      );
    }
    this.#isResumed = true;
    this.#isCopied = saved.copied === true;
  }

  /** An earlier run has begun: keys at the target may come from it. */
  get isResumed(): boolean {
    return this.#isResumed;
  }

  /** Every key has been copied once; what is left is to compare. */
  get isCopied(): boolean {
    return this.#isCopied;
  }

  begin(): void {
    this.#write();
  }

  copied(): void {
    this.#isCopied = true;
    this.#write();
  }

  /** The copy is complete: removes the file. Not called while places differ, so that the same command compares again. */
  remove(): void {
    rmSync(this.path, { force: true });
  }

  #write(): void {
    const content = { format: FORMAT, places: this.#places, copied: this.#isCopied };
    writeFileSync(`${this.path}.new`, `${JSON.stringify(content)}\n`);
    renameSync(`${this.path}.new`, this.path);
  }
}

const FORMAT = 'sorrel-copy 1';

function read(path: string): { readonly places?: unknown; readonly copied?: unknown } | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const content: unknown = JSON.parse(text);
    if (typeof content === 'object' && content !== null && 'format' in content && content.format === FORMAT) {
      return content as { readonly places?: unknown; readonly copied?: unknown };
    }
  } catch {}
  throw new Error(`${path} is not the state of a copy: remove it, or name another file with --state`);
}
