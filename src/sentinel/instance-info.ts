import type { Role } from './instance.js';

/** What a Sentinel reads in a server's INFO. */
export interface InstanceInfo {
  readonly runId: string | undefined;
  readonly role: Role;
  /** Of a master: the addresses of its replicas. */
  readonly replicas: readonly { readonly host: string; readonly port: number }[];
  readonly masterHost: string | undefined;
  readonly masterPort: number | undefined;
  readonly isMasterLinkUp: boolean | undefined;
  /** In ms; negative if the link has never been up. */
  readonly masterLinkDownTime: number;
  readonly priority: number | undefined;
  readonly offset: number | undefined;
  readonly isAnnounced: boolean | undefined;
}

export function parseInfo(text: string, previousRole: Role): InstanceInfo {
  const fields = new Map<string, string>();
  const replicas: { host: string; port: number }[] = [];
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon <= 0) continue;
    const name = line.slice(0, colon);
    const value = line.slice(colon + 1);
    fields.set(name, value);
    const replica = /^slave\d/.test(name) ? parseReplica(value) : undefined;
    if (replica !== undefined) replicas.push(replica);
  }
  const runId = fields.get('run_id');
  const role = fields.get('role');
  const isReplica = role === 'slave';
  const ofReplica = (name: string): string | undefined => (isReplica ? fields.get(name) : undefined);
  const link = ofReplica('master_link_status');
  const announced = ofReplica('replica_announced');
  return {
    runId: runId?.length === 40 ? runId : undefined,
    role: role === 'master' ? 'master' : isReplica ? 'slave' : previousRole,
    replicas,
    masterHost: ofReplica('master_host'),
    masterPort: numberOf(ofReplica('master_port')),
    isMasterLinkUp: link === undefined ? undefined : link === 'up',
    masterLinkDownTime: (numberOf(fields.get('master_link_down_since_seconds')) ?? 0) * 1000,
    priority: numberOf(ofReplica('slave_priority')),
    offset: numberOf(ofReplica('slave_repl_offset')),
    isAnnounced: announced === undefined ? undefined : announced !== '0',
  };
}

/** `ip=127.0.0.1,port=6380,state=online,…`, or of old servers `127.0.0.1,6380,online`. */
function parseReplica(value: string): { host: string; port: number } | undefined {
  const parts = value.split(',');
  const named = (name: string): string | undefined =>
    parts.find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1);
  const host = value.includes('ip=') ? named('ip') : parts[0];
  const port = numberOf(value.includes('port=') ? named('port') : parts[1]);
  return host === undefined || host === '' || port === undefined ? undefined : { host, port };
}

function numberOf(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : undefined;
}
