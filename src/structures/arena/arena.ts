import { copyBytes, EMPTY_BUFFER } from '../../bytes/bytes.js';
import { widen } from '../../bytes/wide-buffer.js';
import { PAGE_BYTES, PageMemory, type PagePlace } from './page-memory.js';
import { type Address, byteIndex, doubleIndex, NO_BLOCK, pageOf, type Ref, refAt, wordIndex } from './ref.js';

/**
 * Allocates blocks of memory off the JavaScript heap. A `Ref` identifies a block.
 *
 * Pages are 1 MB. Small blocks are in slabs: 64 KB of a page, one size class each, with a free list per slab, so that
 * a slab whose blocks are all free can serve another size. Medium blocks are runs of 4 KB granules. Larger blocks have
 * their own page of exactly their size. All three are read and written in the same way.
 */
export class Arena {
  /** The pages as bytes, 32-bit words and doubles: three views of the same memory, indexed by `pageOf(address)`. */
  readonly bytes: Buffer[] = [];
  readonly words: Int32Array[] = [];
  readonly doubles: Float64Array[] = [];

  /** Bytes of the blocks in use, with their rounded-up sizes. */
  usedBytes = 0;
  /** Bytes of all pages, used or free. */
  pageBytes = 0;

  readonly #pageKind: number[] = [];
  readonly #freePages: number[] = [];
  readonly #memory = new PageMemory();
  /** The location of each page in a piece of memory; undefined for a page with its own memory. */
  readonly #places: (PagePlace | undefined)[] = [];

  /** Per slab: its size class, the first block of its free list, the start of its never-used space, and its blocks in use. */
  #slabClass = new Uint8Array(64);
  #slabFree = new Int32Array(64);
  #slabFresh = new Int32Array(64);
  #slabUsed = new Uint16Array(64);
  #slabNext = new Int32Array(64);
  #slabPrevious = new Int32Array(64);
  /** Per size class: the first slab with a free block, or -1. */
  readonly #roomy = new Int32Array(CLASS_COUNT).fill(-1);
  readonly #spareSlabs: number[] = [];
  readonly #freeSlabsInPage: number[] = [];

  /** Per page of granules: the length of the run that starts at each granule (0: no run starts there). */
  readonly #runs: (Uint16Array | undefined)[] = [];
  readonly #granulePages: number[] = [];
  readonly #freeGranules: number[] = [];
  /** Per page of granules: an upper bound for its longest free run. */
  readonly #longestFree: number[] = [];
  #granulePageHint = 0;

  /** The page of a block as bytes, indexed from `byteIndex(address)`. */
  bytesOf(address: Address): Buffer {
    return this.bytes[pageOf(address)] as Buffer;
  }

  /** The page of a block as 32-bit words, indexed from `wordIndex(address)`. */
  wordsOf(address: Address): Int32Array {
    return this.words[pageOf(address)] as Int32Array;
  }

  /** The page of a block as doubles, indexed from `doubleIndex(address)`. */
  doublesOf(address: Address): Float64Array {
    return this.doubles[pageOf(address)] as Float64Array;
  }

  /** A new block of at least `size` bytes. Its content is undefined. */
  alloc(size: number): Ref {
    if (size > MAX_SLAB_BLOCK) return size <= MAX_RUN ? this.#allocRun(size) : this.#allocPage(size);
    const sizeClass = classOf(size);
    let slab = this.#roomy[sizeClass] as number;
    if (slab < 0) slab = this.#openSlab(sizeClass);
    const blockBytes = CLASS_BYTES[sizeClass] as number;
    let ref = this.#slabFree[slab] as Ref;
    if (ref !== NO_BLOCK) {
      this.#slabFree[slab] = this.wordsOf(ref)[wordIndex(ref)] as Ref;
    } else {
      const fresh = this.#slabFresh[slab] as number;
      ref = ((slab << SLAB_UNIT_BITS) | (fresh >> 3)) as Ref;
      this.#slabFresh[slab] = fresh + blockBytes;
    }
    const used = (this.#slabUsed[slab] as number) + 1;
    this.#slabUsed[slab] = used;
    if (used === CLASS_CAPACITY[sizeClass]) this.#unlinkSlab(slab, sizeClass);
    this.usedBytes += blockBytes;
    return ref;
  }

  free(ref: Ref): void {
    const page = pageOf(ref);
    const kind = this.#pageKind[page];
    if (kind !== SLABS) {
      if (kind === GRANULES) this.#freeRun(ref);
      else this.#freeWholePage(page);
      return;
    }
    const slab = slabOf(ref);
    const sizeClass = this.#slabClass[slab] as number;
    this.wordsOf(ref)[wordIndex(ref)] = this.#slabFree[slab] as Ref;
    this.#slabFree[slab] = ref;
    this.usedBytes -= CLASS_BYTES[sizeClass] as number;
    const used = (this.#slabUsed[slab] as number) - 1;
    this.#slabUsed[slab] = used;
    if (used + 1 === CLASS_CAPACITY[sizeClass]) this.#linkSlab(slab, sizeClass);
    // Keep the last slab with free blocks of a class: otherwise freeing and allocating one block would release and create it.
    else if (used === 0 && (this.#slabNext[slab] !== -1 || this.#slabPrevious[slab] !== -1)) {
      this.#unlinkSlab(slab, sizeClass);
      this.#spareSlab(slab);
    }
  }

  /**
   * Whether the block has its own page. Such a page is filled with zeros by the system, and its memory is not reused after the
   * block is freed.
   */
  hasOwnPage(ref: Ref): boolean {
    return this.#pageKind[pageOf(ref)] === WHOLE;
  }

  /** The number of bytes that fit into the block. */
  capacity(address: Address): number {
    const page = pageOf(address);
    const kind = this.#pageKind[page];
    if (kind === SLABS) return CLASS_BYTES[this.#slabClass[slabOf(address)] as number] as number;
    if (kind === GRANULES) {
      return ((this.#runs[page] as Uint16Array)[granuleOf(address)] as number) << GRANULE_SHIFT;
    }
    return (this.bytes[page] as Buffer).length;
  }

  /**
   * A block of at least `size` bytes with the first `keep` bytes of `ref`: the same block if `size` fits and fills at
   * least half of it, otherwise a new one. In the latter case `ref` is freed.
   */
  resize(ref: Ref, size: number, keep: number): Ref {
    const capacity = this.capacity(ref);
    if (size <= capacity && (size << 1 >= capacity || capacity <= 64)) return ref;
    const moved = this.alloc(size);
    const from = byteIndex(ref);
    copyBytes(this.bytesOf(ref), from, from + keep, this.bytesOf(moved), byteIndex(moved));
    this.free(ref);
    return moved;
  }

  /** The number of bytes that `alloc(size)` would use. */
  static footprint(size: number): number {
    if (size <= MAX_SLAB_BLOCK) return CLASS_BYTES[classOf(size)] as number;
    if (size <= MAX_RUN) return ((size + GRANULE_BYTES - 1) >> GRANULE_SHIFT) << GRANULE_SHIFT;
    return (size + 7) & ~7;
  }

  // ---- slabs ----

  #openSlab(sizeClass: number): number {
    const slab = this.#spareSlabs.pop() ?? this.#openSlabPage();
    const page = slab >>> SLABS_PER_PAGE_BITS;
    this.#freeSlabsInPage[page] = (this.#freeSlabsInPage[page] as number) - 1;
    this.#slabClass[slab] = sizeClass;
    this.#slabFree[slab] = 0;
    this.#slabUsed[slab] = 0;
    this.#slabFresh[slab] = 0;
    if (slab === 0) {
      // Its first block is never allocated, because ref 0 means "no block". So this slab and page 0 are never released.
      this.#slabFresh[slab] = CLASS_BYTES[sizeClass] as number;
      this.#slabUsed[slab] = 1;
    }
    this.#linkSlab(slab, sizeClass);
    return slab;
  }

  /** Adds a page of slabs. Returns the first of them; the others become spare. */
  #openSlabPage(): number {
    const page = this.#addPage(PAGE_BYTES, SLABS);
    const first = page << SLABS_PER_PAGE_BITS;
    const end = first + SLABS_PER_PAGE;
    if (end > this.#slabClass.length) this.#growSlabTables(end);
    for (let slab = end - 1; slab > first; slab--) this.#spareSlabs.push(slab);
    this.#freeSlabsInPage[page] = SLABS_PER_PAGE;
    return first;
  }

  #spareSlab(slab: number): void {
    const page = slab >>> SLABS_PER_PAGE_BITS;
    const free = (this.#freeSlabsInPage[page] as number) + 1;
    this.#freeSlabsInPage[page] = free;
    if (free === SLABS_PER_PAGE && page !== 0) {
      this.#dropSpareSlabsOf(page);
      this.#dropPage(page);
    } else {
      this.#spareSlabs.push(slab);
    }
  }

  #dropSpareSlabsOf(page: number): void {
    const spares = this.#spareSlabs;
    let kept = 0;
    for (let i = 0; i < spares.length; i++) {
      const slab = spares[i] as number;
      if (slab >>> SLABS_PER_PAGE_BITS !== page) spares[kept++] = slab;
    }
    spares.length = kept;
  }

  #linkSlab(slab: number, sizeClass: number): void {
    const head = this.#roomy[sizeClass] as number;
    this.#slabNext[slab] = head;
    this.#slabPrevious[slab] = -1;
    if (head !== -1) this.#slabPrevious[head] = slab;
    this.#roomy[sizeClass] = slab;
  }

  #unlinkSlab(slab: number, sizeClass: number): void {
    const next = this.#slabNext[slab] as number;
    const previous = this.#slabPrevious[slab] as number;
    if (previous === -1) this.#roomy[sizeClass] = next;
    else this.#slabNext[previous] = next;
    if (next !== -1) this.#slabPrevious[next] = previous;
    this.#slabNext[slab] = -1;
    this.#slabPrevious[slab] = -1;
  }

  #growSlabTables(needed: number): void {
    let length = this.#slabClass.length;
    while (length < needed) length *= 2;
    this.#slabClass = grown(new Uint8Array(length), this.#slabClass);
    this.#slabFree = grown(new Int32Array(length), this.#slabFree);
    this.#slabFresh = grown(new Int32Array(length), this.#slabFresh);
    this.#slabUsed = grown(new Uint16Array(length), this.#slabUsed);
    this.#slabNext = grown(new Int32Array(length), this.#slabNext);
    this.#slabPrevious = grown(new Int32Array(length), this.#slabPrevious);
  }

  // ---- runs of granules ----

  #allocRun(size: number): Ref {
    const needed = (size + GRANULE_BYTES - 1) >> GRANULE_SHIFT;
    const pages = this.#granulePages;
    for (let tried = 0; tried < pages.length; tried++) {
      const at = (this.#granulePageHint + tried) % pages.length;
      const page = pages[at] as number;
      if ((this.#longestFree[page] as number) < needed) continue;
      const start = findRun(this.#runs[page] as Uint16Array, needed);
      if (start < 0) {
        this.#longestFree[page] = needed - 1;
        continue;
      }
      this.#granulePageHint = at;
      return this.#takeRun(page, start, needed);
    }
    const page = this.#addPage(PAGE_BYTES, GRANULES);
    this.#runs[page] = new Uint16Array(GRANULES_PER_PAGE);
    this.#freeGranules[page] = GRANULES_PER_PAGE;
    this.#longestFree[page] = GRANULES_PER_PAGE;
    this.#granulePageHint = pages.length;
    pages.push(page);
    return this.#takeRun(page, 0, needed);
  }

  #takeRun(page: number, start: number, granules: number): Ref {
    (this.#runs[page] as Uint16Array)[start] = granules;
    this.#freeGranules[page] = (this.#freeGranules[page] as number) - granules;
    this.usedBytes += granules << GRANULE_SHIFT;
    return refAt(page, start << GRANULE_UNIT_BITS);
  }

  #freeRun(ref: Ref): void {
    const page = pageOf(ref);
    const runs = this.#runs[page] as Uint16Array;
    const start = granuleOf(ref);
    const granules = runs[start] as number;
    runs[start] = 0;
    this.usedBytes -= granules << GRANULE_SHIFT;
    const free = (this.#freeGranules[page] as number) + granules;
    this.#freeGranules[page] = free;
    this.#longestFree[page] = free;
    if (free === GRANULES_PER_PAGE && this.#granulePages.length > 1) {
      this.#granulePages.splice(this.#granulePages.indexOf(page), 1);
      this.#runs[page] = undefined;
      this.#dropPage(page);
    }
  }

  // ---- pages ----

  #allocPage(size: number): Ref {
    const page = this.#addPage((size + 7) & ~7, WHOLE);
    this.usedBytes += (this.bytes[page] as Buffer).length;
    return refAt(page, 0);
  }

  #freeWholePage(page: number): void {
    this.usedBytes -= (this.bytes[page] as Buffer).length;
    this.#dropPage(page);
  }

  #addPage(size: number, kind: number): number {
    let page = this.#freePages.pop();
    if (page === undefined) {
      // Page 0 must be a page of slabs, which never allocate ref 0.
      if (kind !== SLABS && this.bytes.length === 0) this.#spareSlabs.push(this.#openSlabPage());
      page = this.bytes.length;
      if (page >= MAX_PAGES) throw new RangeError('arena is full: 32 GB of small blocks, or 32,768 pages');
    }
    const place = kind === WHOLE ? undefined : this.#memory.take();
    const memory = place?.piece.memory ?? new ArrayBuffer(size);
    const offset = place?.offset ?? 0;
    this.#places[page] = place;
    this.bytes[page] = widen(Buffer.from(memory, offset, size));
    this.words[page] = new Int32Array(memory, offset, size >> 2);
    this.doubles[page] = new Float64Array(memory, offset, size >> 3);
    this.#pageKind[page] = kind;
    this.pageBytes += size;
    return page;
  }

  #dropPage(page: number): void {
    this.pageBytes -= (this.bytes[page] as Buffer).length;
    this.bytes[page] = EMPTY_BUFFER;
    this.words[page] = NO_WORDS;
    this.doubles[page] = NO_DOUBLES;
    this.#pageKind[page] = GONE;
    const place = this.#places[page];
    if (place !== undefined) this.#memory.giveBack(place);
    this.#places[page] = undefined;
    this.#freePages.push(page);
  }
}

function slabOf(address: Address): number {
  return address >>> SLAB_UNIT_BITS;
}

/** The first granule of a run, counted from the start of its page. */
function granuleOf(address: Address): number {
  return doubleIndex(address) >>> GRANULE_UNIT_BITS;
}

const MAX_PAGES = 1 << 15;

/** A slab is 2^13 units of 8 bytes. Slabs are numbered over all pages, as if every page had slabs. */
const SLAB_UNIT_BITS = 13;
const SLAB_BYTES = 8 << SLAB_UNIT_BITS;
const SLABS_PER_PAGE_BITS = 4;
const SLABS_PER_PAGE = 1 << SLABS_PER_PAGE_BITS;
const MAX_SLAB_BLOCK = 1 << 14;

const GRANULE_SHIFT = 12;
const GRANULE_BYTES = 1 << GRANULE_SHIFT;
const GRANULE_UNIT_BITS = GRANULE_SHIFT - 3;
const GRANULES_PER_PAGE = PAGE_BYTES / GRANULE_BYTES;
const MAX_RUN = PAGE_BYTES / 2;

const SLABS = 1;
const GRANULES = 2;
const WHOLE = 3;
const GONE = 4;

const NO_WORDS = new Int32Array(0);
const NO_DOUBLES = new Float64Array(0);

/** Size classes: every multiple of 8 up to 128, then eight steps per doubling (at most 12.5 % lost to rounding). */
const CLASS_BYTES = classSizes();
const CLASS_COUNT = CLASS_BYTES.length;
const CLASS_CAPACITY = CLASS_BYTES.map((bytes) => Math.floor(SLAB_BYTES / bytes));
const CLASS_OF_UNITS = classBySize();

function classSizes(): Int32Array {
  const sizes: number[] = [];
  for (let size = 8; size <= 128; size += 8) sizes.push(size);
  for (let base = 128; base < MAX_SLAB_BLOCK; base *= 2) {
    for (let step = 1; step <= 8; step++) sizes.push(base + (base / 8) * step);
  }
  return Int32Array.from(sizes);
}

function classBySize(): Uint8Array {
  const classes = new Uint8Array((MAX_SLAB_BLOCK >> 3) + 1);
  let current = 0;
  for (let units = 0; units < classes.length; units++) {
    while ((CLASS_BYTES[current] as number) < units << 3) current++;
    classes[units] = current;
  }
  return classes;
}

function classOf(size: number): number {
  return CLASS_OF_UNITS[(size + 7) >> 3] as number;
}

/** The first granule of a free run of at least `needed` granules, or -1. */
function findRun(runs: Uint16Array, needed: number): number {
  let start = 0;
  let at = 0;
  while (at < GRANULES_PER_PAGE) {
    const taken = runs[at] as number;
    if (taken !== 0) {
      at += taken;
      start = at;
    } else {
      at++;
      if (at - start === needed) return start;
    }
  }
  return -1;
}

function grown<T extends Uint8Array | Int32Array | Uint16Array>(target: T, source: T): T {
  target.set(source);
  return target;
}
