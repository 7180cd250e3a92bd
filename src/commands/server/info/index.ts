import type { Call } from '../../call.js';
import type { EnginePort } from '../../engine-port.js';
import { commandStats, errorStats, latencyStats } from './command-sections.js';
import type { Fields } from './figures.js';
import {
  clients,
  cluster,
  cpu,
  keyspace,
  memory,
  persistence,
  replication,
  server,
  stats,
} from './sections.js';

interface Section {
  readonly title: string;
  readonly fields: (engine: EnginePort) => Fields;
  /** Shown only when asked for, by name or with `all`. */
  readonly extra?: boolean;
}

/** In the order of the reply, which does not depend on the request. */
const SECTIONS: readonly Section[] = [
  { title: 'Server', fields: server },
  { title: 'Clients', fields: clients },
  { title: 'Memory', fields: memory },
  { title: 'Persistence', fields: persistence },
  { title: 'Stats', fields: stats },
  { title: 'Replication', fields: replication },
  { title: 'CPU', fields: cpu },
  { title: 'Modules', fields: () => [] },
  { title: 'Commandstats', fields: commandStats, extra: true },
  { title: 'Errorstats', fields: errorStats },
  { title: 'Latencystats', fields: latencyStats, extra: true },
  { title: 'Cluster', fields: cluster },
  { title: 'Keyspace', fields: keyspace },
];

/** INFO [section …] */
export function info(call: Call): void {
  const wanted = new Set<string>();
  for (let i = 1; i < call.argc; i++) wanted.add(call.text(i).toLowerCase());
  const all = wanted.has('all') || wanted.has('everything');
  const usual = wanted.size === 0 || wanted.has('default');
  const shown = SECTIONS.filter(({ title, extra }) => {
    return all || (usual && extra !== true) || wanted.has(title.toLowerCase());
  });
  call.reply.verbatim('txt', shown.map((section) => sectionText(section, call.engine)).join('\r\n'));
}

function sectionText({ title, fields }: Section, engine: EnginePort): string {
  const lines = fields(engine).map(([name, value]) => `${name}:${value}\r\n`);
  return `# ${title}\r\n${lines.join('')}`;
}
