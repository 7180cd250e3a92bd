import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { saveRdb } from '../shell/replica-mode.js';
import type { Link } from '../wire/link.js';
import { utf8Of } from '../wire/request.js';
import { check } from './check.js';
import type { ManagedNode } from './managed-node.js';
import type { Manager } from './manager.js';

/** `backup host:port folder`: a dump of each master, and `nodes.json`, which says who had which slots. */
export async function backUp(
  manager: Manager,
  [place = '', folder = '']: readonly string[],
): Promise<boolean> {
  const { report } = manager;
  await manager.load(manager.addressIn([place]));
  const isWell = await check(manager);
  const errors = isWell ? 0 : report.problems.length;
  const path = join(utf8Of(folder), 'nodes.json');
  try {
    for (const node of manager.nodes) if (node.masterId === undefined) await dump(manager, node, folder);
    report.info(`Saving cluster configuration to: ${path}\n`);
    writeFileSync(path, `[\n${manager.nodes.map((node) => describe(node, errors)).join(',\n')}\n]`, 'latin1');
  } catch (error) {
    report.complain((error as Error).message);
    report.good('[ERR] Failed to back cluster!\n');
    return false;
  }
  if (!isWell) {
    report.warn(
      "*** Cluster seems to have some problems, please be aware of it if you're going to restore this backup.\n",
    );
  }
  report.good(`[OK] Backup created into: ${folder}\n`);
  return true;
}

async function dump({ report }: Manager, node: ManagedNode, folder: string): Promise<void> {
  report.info(`>>> Node ${node.place} -> Saving RDB...\n`);
  const file = join(utf8Of(folder), `redis-node-${node.host}-${node.port}-${node.id}.rdb`);
  await saveRdb(node.link as Link, file, false, (line) => report.complain(line));
}

function describe(node: ManagedNode, errors: number): string {
  const { id, host, port, masterId, slots, epoch } = node;
  const fields = [
    `"name": "${id}"`,
    `"host": "${host}"`,
    `"port": ${port}`,
    `"replicate": ${masterId === undefined ? 'null' : `"${masterId}"`}`,
    `"slots": [${node.slotsText.replaceAll('-', ',')}]`,
    `"slots_count": ${slots.count}`,
    `"flags": "${node.flags.filter((flag) => flag !== 'myself').join(',')}"`,
    `"current_epoch": ${epoch}`,
    ...(errors > 0 ? [`"cluster_errors": ${errors}`] : []),
    ...moving('migrating', node.migrating),
    ...moving('importing', node.importing),
  ];
  return `  {\n${fields.map((field) => `    ${field}`).join(',\n')}\n  }`;
}

function moving(name: string, slots: ReadonlyMap<number, string>): string[] {
  if (slots.size === 0) return [];
  return [`"${name}": {${[...slots].map(([slot, id]) => `"${slot}": "${id}"`).join(',')}}`];
}
