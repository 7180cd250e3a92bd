import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '../../bytes/random.js';
import { Arena } from './arena.js';
import { byteIndex, pageOf, type Ref } from './ref.js';

const SIZES = {
  small: (random: number) => 1 + random * 300,
  slab: (random: number) => 1 + random * 16_384,
  run: (random: number) => 16_385 + random * (512 * 1024 - 16_385),
  page: (random: number) => 512 * 1024 + 1 + random * 1_500_000,
} as const;

interface Block {
  ref: Ref;
  size: number;
  /** The value of its first and last bytes. */
  mark: number;
}

function fill(arena: Arena, block: Block): void {
  const { bytes, start } = placeOf(arena, block.ref);
  bytes.fill(block.mark, start, start + Math.min(block.size, 64));
  bytes.fill(block.mark, start + Math.max(0, block.size - 64), start + block.size);
}

function checkContent(arena: Arena, block: Block, length = block.size): void {
  const { bytes, start } = placeOf(arena, block.ref);
  for (const at of [0, 1, length >> 1, length - 2, length - 1]) {
    const isFilled = at >= 0 && at < length && (at < 64 || at >= block.size - 64);
    if (isFilled) assert.equal(bytes[start + at], block.mark, `byte ${at} of a block of ${block.size}`);
  }
}

function placeOf(arena: Arena, ref: Ref): { bytes: Buffer; start: number } {
  return { bytes: arena.bytesOf(ref), start: byteIndex(ref) };
}

/** Fails if two blocks share a byte, or one is not within its page. */
function checkApart(arena: Arena, blocks: readonly Block[]): void {
  const places = blocks
    .map(({ ref }) => ({
      page: pageOf(ref),
      start: byteIndex(ref),
      end: byteIndex(ref) + arena.capacity(ref),
    }))
    .sort((a, b) => a.page - b.page || a.start - b.start);
  places.forEach((place, i) => {
    assert.ok(place.end <= (arena.bytes[place.page] as Buffer).length, 'a block ends after its page');
    const next = places[i + 1];
    if (next?.page === place.page) assert.ok(place.end <= next.start, 'blocks overlap');
  });
}

function sumOfCapacities(arena: Arena, blocks: readonly Block[]): number {
  return blocks.reduce((sum, { ref }) => sum + arena.capacity(ref), 0);
}

/** Allocates, frees and resizes blocks at random, checks them after each step, then frees all blocks. */
function runHistory(seed: number, sizes: readonly (keyof typeof SIZES)[], steps: number, max: number): void {
  const random = seededRandom(seed);
  const arena = new Arena();
  const blocks: Block[] = [];
  const anySize = (): number =>
    Math.floor(SIZES[sizes[random.integer(sizes.length)] as keyof typeof SIZES](random.next()));
  for (let step = 0; step < steps; step++) {
    const isGrowing = Math.floor(step / 500) % 2 === 0;
    const chance = random.next();
    if (blocks.length === 0 || (chance < (isGrowing ? 0.6 : 0.2) && blocks.length < max)) {
      const size = anySize();
      const block = { ref: arena.alloc(size), size, mark: random.integer(256) };
      assert.notEqual(block.ref, 0);
      assert.ok(arena.capacity(block.ref) >= size);
      assert.equal(arena.capacity(block.ref), Arena.footprint(size));
      fill(arena, block);
      blocks.push(block);
    } else if (chance < 0.8) {
      const [block] = blocks.splice(random.integer(blocks.length), 1) as [Block];
      checkContent(arena, block);
      arena.free(block.ref);
    } else {
      const block = blocks[random.integer(blocks.length)] as Block;
      const size = anySize();
      const keep = Math.min(size, block.size);
      block.ref = arena.resize(block.ref, size, keep);
      assert.ok(arena.capacity(block.ref) >= size);
      checkContent(arena, block, keep);
      block.size = size;
      fill(arena, block);
    }
    if (step % 250 === 0) checkApart(arena, blocks);
    if (step % 50 === 0) assert.equal(arena.usedBytes, sumOfCapacities(arena, blocks));
  }
  checkApart(arena, blocks);
  for (const block of blocks) {
    checkContent(arena, block);
    arena.free(block.ref);
  }
  assert.equal(arena.usedBytes, 0);
}

describe('Arena', () => {
  it('keeps small blocks apart during random allocations', () => {
    runHistory(1, ['small'], 20_000, 4000);
  });

  it('keeps blocks of all slab sizes apart', () => {
    runHistory(2, ['slab', 'small'], 10_000, 1500);
  });

  it('keeps runs of granules apart', () => {
    runHistory(3, ['run'], 4000, 60);
  });

  it('keeps blocks of every kind apart', () => {
    runHistory(4, ['small', 'slab', 'run', 'page'], 5000, 100);
    runHistory(5, ['page', 'small', 'run'], 2000, 20);
  });

  it('never returns ref 0, whatever the first size', () => {
    for (const size of [1, 8, 100, 16_384, 16_385, 512 * 1024, 512 * 1024 + 1, 3 << 20]) {
      assert.notEqual(new Arena().alloc(size), 0, `first block of ${size}`);
    }
  });

  it('releases a page when all its blocks are freed', () => {
    const arena = new Arena();
    const refs: Ref[] = [];
    for (let i = 0; i < 100_000; i++) refs.push(arena.alloc(64));
    for (let i = 0; i < 40; i++) refs.push(arena.alloc(200_000));
    for (let i = 0; i < 5; i++) refs.push(arena.alloc(2_000_000));
    assert.ok(arena.pageBytes > 20_000_000);
    for (const ref of refs) arena.free(ref);
    assert.equal(arena.usedBytes, 0);
    assert.ok(arena.pageBytes <= 3 << 20, `${arena.pageBytes} bytes of pages are left`);
  });

  it('reuses a slab that became free for another size', () => {
    const arena = new Arena();
    for (let round = 0; round < 20; round++) {
      const size = 16 + round * 8;
      const refs = Array.from({ length: 4000 }, () => arena.alloc(size));
      for (const ref of refs) arena.free(ref);
    }
    assert.ok(arena.pageBytes <= 4 << 20, `${arena.pageBytes} bytes of pages for at most 0.7 MB of blocks`);
  });

  it('does not move a block that still fits', () => {
    const arena = new Arena();
    const ref = arena.alloc(1000);
    assert.equal(arena.resize(ref, 1010, 1000), ref);
    assert.equal(arena.resize(ref, 600, 600), ref);
    assert.notEqual(arena.resize(ref, 100, 100), ref);
  });

  it('reports which new blocks are all zero', () => {
    const arena = new Arena();
    for (let round = 0; round < 3; round++) {
      for (const size of [100, 20_000, 600_000, 3_000_000]) {
        const ref = arena.alloc(size);
        const { bytes, start } = placeOf(arena, ref);
        assert.equal(arena.hasOwnPage(ref), size > 512 * 1024);
        if (arena.hasOwnPage(ref)) assert.ok(bytes.subarray(start, start + size).every((byte) => byte === 0));
        bytes.fill(0xff, start, start + size);
        arena.free(ref);
      }
    }
  });

  it('allocates a block of 512 MB', () => {
    const arena = new Arena();
    const size = 512 * 1024 * 1024 + 4;
    const ref = arena.alloc(size);
    assert.ok(arena.capacity(ref) >= size);
    arena.free(ref);
    assert.equal(arena.usedBytes, 0);
    assert.ok(arena.pageBytes <= 1 << 20);
  });
});
