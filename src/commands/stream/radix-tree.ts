import type { IdTree } from '../../structures/stream/id-tree.js';
import { StreamId } from '../../structures/stream/stream-id.js';

/** Bytes of an id as a key. */
const KEY_BYTES = 16;

/**
 * The number of nodes of the radix tree in which Redis would keep the stream's blocks, for XINFO. That tree has a
 * leaf for each key, a node for each place where keys diverge, and one for each run of bytes between these. All of it
 * follows from the number of bytes that neighbouring keys share. An empty tree has only its root.
 */
export function radixTreeNodes(blocks: IdTree): number {
  if (!blocks.first()) return 1;
  // Depths, in ascending order, at which earlier keys diverge from the latest one.
  const parts: number[] = [];
  let nodes = 0;
  let key = Buffer.alloc(KEY_BYTES);
  let next = Buffer.alloc(KEY_BYTES);
  blocks.readId(id).encode(key, 0);
  while (blocks.next()) {
    blocks.readId(id).encode(next, 0);
    const shared = sharedBytes(key, next);
    nodes += close(parts, shared);
    if (parts.at(-1) !== shared) parts.push(shared);
    [key, next] = [next, key];
  }
  nodes += close(parts, -1);
  return nodes;
}

/** Counts the nodes that are complete when the next key shares only `shared` bytes with the last one. */
function close(parts: number[], shared: number): number {
  // A leaf, and the nodes before it.
  let nodes = 1;
  let below = KEY_BYTES;
  while (parts.length > 0 && (parts.at(-1) as number) > shared) {
    const depth = parts.pop() as number;
    nodes += 1 + run(depth + 1, below);
    below = depth;
  }
  const above = Math.max(parts.at(-1) ?? -1, shared);
  return nodes + run(above + 1, below);
}

/** A node for the bytes from one depth to another, if there are any. */
function run(from: number, to: number): number {
  return to > from ? 1 : 0;
}

function sharedBytes(a: Buffer, b: Buffer): number {
  let shared = 0;
  while (shared < KEY_BYTES && a[shared] === b[shared]) shared++;
  return shared;
}

const id = new StreamId();
