import type { ManagedNode } from './managed-node.js';

/** Nodes taken from the hosts in turn, so that the first ones are on as many hosts as possible. */
export function interleaved(nodes: readonly ManagedNode[]): ManagedNode[] {
  const hosts = new Map<string, ManagedNode[]>();
  for (const node of nodes) hosts.set(node.host, [...(hosts.get(node.host) ?? []), node]);
  const rounds = Math.max(0, ...[...hosts.values()].map((each) => each.length));
  return Array.from({ length: rounds }).flatMap((_, round) =>
    [...hosts.values()].flatMap((each) => each.slice(round, round + 1)),
  );
}

/**
 * Gives each master its replicas, on other hosts if there are any. Nodes that are left over are spread over the masters.
 * `onPlaced` gets them one after the other, with undefined before the first of those that are left over.
 */
export function placeReplicas(
  masters: readonly ManagedNode[],
  others: readonly ManagedNode[],
  perMaster: number,
  onPlaced: (placed: { readonly replica: ManagedNode; readonly master: ManagedNode } | undefined) => void,
): void {
  // As redis-cli does: the first of them is often on the host of the first master.
  const free = [...others.slice(1), ...others.slice(0, 1)];
  const place = (master: ManagedNode): void => {
    const elsewhere = free.findIndex(({ host }) => host !== master.host);
    const [replica] = free.splice(Math.max(elsewhere, 0), 1);
    if (replica === undefined) return;
    replica.masterId = master.id;
    replica.isDirty = true;
    onPlaced({ replica, master });
  };
  for (const master of masters) for (let i = 0; i < perMaster; i++) place(master);
  if (free.length > 0) onPlaced(undefined);
  for (const master of masters) place(master);
}

/** How bad it is that nodes of one shard share a host: 10,000 if the master is among them, else 1, for each after the first. */
export function affinity(nodes: readonly ManagedNode[]): number {
  const groups = new Map<string, { count: number; hasMaster: boolean }>();
  for (const { id, host, masterId } of nodes) {
    const name = `${host} ${masterId ?? id}`;
    const { count, hasMaster } = groups.get(name) ?? { count: 0, hasMaster: false };
    groups.set(name, { count: count + 1, hasMaster: hasMaster || masterId === undefined });
  }
  let score = 0;
  for (const { count, hasMaster } of groups.values()) score += (count - 1) * (hasMaster ? 10_000 : 1);
  return score;
}

/** Exchanges the masters of two replicas as long as fewer nodes of a shard share a host then. Returns what is left of `affinity`. */
export function spreadReplicas(nodes: readonly ManagedNode[]): number {
  const replicas = nodes.filter(({ masterId }) => masterId !== undefined);
  let score = affinity(nodes);
  for (let hasImproved = score > 0; hasImproved; ) {
    hasImproved = false;
    for (const [index, first] of replicas.entries()) {
      for (const second of replicas.slice(index + 1)) {
        exchange(first, second);
        const now = affinity(nodes);
        if (now < score) {
          score = now;
          hasImproved = true;
        } else exchange(first, second);
      }
    }
  }
  return score;
}

function exchange(first: ManagedNode, second: ManagedNode): void {
  [first.masterId, second.masterId] = [second.masterId, first.masterId];
}
