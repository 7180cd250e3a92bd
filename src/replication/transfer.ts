import type { Inbox } from './inbox.js';
import { ID_LENGTH } from './world.js';

/** How a snapshot is announced: with its length, or with the mark that will end it. */
export type Announcement =
  | { readonly kind: 'length'; readonly length: number }
  | { readonly kind: 'mark'; readonly mark: Buffer };

/** The announcement in this line; undefined if it is not one. No snapshot is empty. */
export function parseAnnouncement(line: string): Announcement | undefined {
  if (line.startsWith('$EOF:') && line.length >= 5 + ID_LENGTH) {
    return { kind: 'mark', mark: Buffer.from(line.slice(5, 5 + ID_LENGTH), 'latin1') };
  }
  const length = Number(/^\$(\d+)$/.exec(line)?.[1] ?? 0);
  return length === 0 ? undefined : { kind: 'length', length };
}

/** Receives a snapshot from a master. */
export class Transfer {
  received = 0;
  isComplete = false;
  readonly #announcement: Announcement;
  readonly #inbox: Inbox;
  /** The last bytes received, which may be the beginning of the mark. */
  #tail: Buffer = Buffer.alloc(0);

  constructor(announcement: Announcement, inbox: Inbox) {
    this.#announcement = announcement;
    this.#inbox = inbox;
  }

  /** The length of the snapshot; -1 if it was not announced. */
  get size(): number {
    return this.#announcement.kind === 'length' ? this.#announcement.length : -1;
  }

  /** Takes bytes of the chunk and returns how many: fewer than all at the end of a snapshot of known length. */
  take(chunk: Buffer): number {
    const announcement = this.#announcement;
    if (announcement.kind === 'mark') {
      this.#takeUntilMark(chunk, announcement.mark);
      return chunk.length;
    }
    const taken = Math.min(chunk.length, announcement.length - this.received);
    this.received += taken;
    this.#inbox.write(Buffer.from(chunk.subarray(0, taken)));
    this.isComplete = this.received === announcement.length;
    return taken;
  }

  /** Nothing follows the mark until we have acknowledged the snapshot. */
  #takeUntilMark(chunk: Buffer, mark: Buffer): void {
    this.received += chunk.length;
    const all = Buffer.concat([this.#tail, chunk]);
    const end = all.length - mark.length;
    this.isComplete = end >= 0 && all.subarray(end).equals(mark);
    this.#tail = this.isComplete ? mark : all.subarray(Math.max(0, end));
    if (end > 0) this.#inbox.write(all.subarray(0, end));
  }
}
