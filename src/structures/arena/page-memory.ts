/** The location of a page: its piece of memory and the offset in it. */
export interface PagePlace {
  readonly piece: Piece;
  readonly offset: number;
}

interface Piece {
  readonly memory: ArrayBuffer;
  readonly pages: number;
  /** Offsets of the free pages. */
  readonly free: number[];
}

export const PAGE_BYTES = 1 << 20;

/**
 * Memory for an arena's pages, taken from the system in pieces of up to 16 MB. The kernel can back those with huge pages,
 * which makes random lookups faster (GET with 1 M keys: 1.3 times). The first pieces are small, because many engines have
 * little data. A piece is released when all its pages are free.
 */
export class PageMemory {
  /** Pieces with free pages; pages are taken from the last one. */
  readonly #roomy: Piece[] = [];
  #pages = 0;

  take(): PagePlace {
    let piece = this.#roomy.at(-1);
    if (piece === undefined) {
      piece = newPiece(Math.min(MAX_PAGES_PER_PIECE, Math.max(1, this.#pages)));
      this.#roomy.push(piece);
      this.#pages += piece.pages;
    }
    const offset = piece.free.pop() as number;
    if (piece.free.length === 0) this.#roomy.pop();
    return { piece, offset };
  }

  giveBack({ piece, offset }: PagePlace): void {
    if (piece.free.length === 0) this.#roomy.push(piece);
    piece.free.push(offset);
    // One free piece is kept. Otherwise freeing and allocating one page would cost a whole piece each time.
    if (piece.free.length < piece.pages || this.#roomy.length === 1) return;
    this.#roomy.splice(this.#roomy.indexOf(piece), 1);
    this.#pages -= piece.pages;
  }
}

function newPiece(pages: number): Piece {
  const free = Array.from({ length: pages }, (_, i) => (pages - 1 - i) * PAGE_BYTES);
  return { memory: new ArrayBuffer(pages * PAGE_BYTES), pages, free };
}

const MAX_PAGES_PER_PIECE = 16;
