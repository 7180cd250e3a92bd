import { setImmediate as nextTurn } from 'node:timers/promises';
import { Bytes } from '../../bytes/bytes.js';
import type { LocalNode } from './local-node.js';

/**
 * Moves a slot as redis-cli does: the target imports, the owner sends its keys in parts while clients are served, and in the end the
 * target, the owner and the other masters learn the new owner.
 */
export async function moveSlot(
  slot: number,
  from: LocalNode,
  to: LocalNode,
  nodes: readonly LocalNode[],
): Promise<void> {
  const [fromId, toId] = [from, to].map(({ cluster }) => cluster.topology.myself.id) as [string, string];
  to.command('CLUSTER', 'SETSLOT', slot, 'IMPORTING', fromId);
  from.command('CLUSTER', 'SETSLOT', slot, 'MIGRATING', toId);
  for (;;) {
    const keys = firstKeys(slot, from);
    if (keys.length === 0) break;
    from.command('MIGRATE', '127.0.0.1', to.port, '', 0, TIMEOUT_MS, 'KEYS', ...keys);
    await nextTurn();
  }
  to.command('CLUSTER', 'SETSLOT', slot, 'NODE', toId);
  from.command('CLUSTER', 'SETSLOT', slot, 'NODE', toId);
  for (const node of nodes) {
    if (node === to || node === from || !node.isRunning || !node.cluster.topology.myself.isMaster) continue;
    node.command('CLUSTER', 'SETSLOT', slot, 'NODE', toId);
  }
}

function firstKeys(slot: number, { engine }: LocalNode): Buffer[] {
  const keys: Buffer[] = [];
  if (engine === undefined) return keys;
  const { slotKeys, databases } = engine.keyspace;
  const [db] = databases;
  for (
    let entry = slotKeys.first(slot);
    entry !== 0 && keys.length < KEYS_AT_ONCE;
    entry = slotKeys.following(entry)
  ) {
    keys.push(db?.key(entry, new Bytes()).toBuffer() as Buffer);
  }
  return keys;
}

const KEYS_AT_ONCE = 10;
const TIMEOUT_MS = 10_000;
