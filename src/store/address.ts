import { StoreError } from './store-error.js';

export interface HostAddress {
  readonly host: string;
  readonly port: number;
}

/** User name and password; absent if the address does not have them. */
export interface Credentials {
  readonly username?: string;
  readonly password?: string;
}

interface ServerDetails extends Credentials {
  readonly tls: boolean;
  readonly database?: number;
  /** Options after the `?`. */
  readonly query: Readonly<Record<string, string>>;
}

/** A parsed address. */
export type Address =
  | { readonly kind: 'memory' }
  | { readonly kind: 'file'; readonly folder: string }
  | ({ readonly kind: 'standalone'; readonly at: HostAddress | { readonly path: string } } & ServerDetails)
  | ({
      readonly kind: 'sentinel';
      readonly hosts: readonly HostAddress[];
      readonly name: string;
    } & ServerDetails)
  | ({ readonly kind: 'cluster'; readonly hosts: readonly HostAddress[] } & ServerDetails);

const FORMS =
  'memory:  file:./folder  redis://host:6379/0  rediss://host:6379  unix:/path/to/socket  ' +
  'redis+sentinel://host1,host2,host3/name  redis+cluster://host1,host2,host3';

const QUERY = ['db', 'connectTimeout', 'waitForServer', 'commandTimeout', 'reads', 'clientName'];
const SENTINEL_QUERY = [...QUERY, 'sentinelUsername', 'sentinelPassword'];

/** Parses an address. Throws `ADDRESS` if it is malformed; the error never shows a password. */
export function parseAddress(text: string): Address {
  const [, scheme = '', rest = ''] = /^([a-z+]+):(.*)$/is.exec(text) ?? [];
  switch (scheme.toLowerCase()) {
    case 'memory':
      if (rest !== '') throw malformed(text, 'nothing follows memory:');
      return { kind: 'memory' };
    case 'file':
      return { kind: 'file', folder: folderOf(text, rest) };
    case 'redis':
    case 'rediss':
      return standalone(text, rest, scheme);
    case 'unix':
      return unixSocket(text, rest);
    case 'redis+sentinel':
    case 'rediss+sentinel':
      return sentinel(text, rest, scheme);
    case 'redis+cluster':
    case 'rediss+cluster':
      return cluster(text, rest, scheme);
    default:
      throw malformed(text, `an address has one of these forms: ${FORMS}`);
  }
}

function folderOf(text: string, rest: string): string {
  const folder = rest.startsWith('//') ? rest.slice(2) : rest;
  if (folder === '') throw malformed(text, 'name a folder: file:./data');
  return folder;
}

function standalone(text: string, rest: string, scheme: string): Address {
  const { authority, path, query } = split(text, rest, QUERY);
  const { credentials, hosts } = authorityOf(text, authority, 6379);
  if (hosts.length !== 1) {
    throw malformed(text, 'name one host; several are for redis+sentinel:// and redis+cluster://');
  }
  const database = databaseOf(text, path.slice(1) || query.db);
  return {
    kind: 'standalone',
    at: hosts[0] as HostAddress,
    tls: scheme.toLowerCase() === 'rediss',
    query,
    ...credentials,
    ...database,
  };
}

function unixSocket(text: string, rest: string): Address {
  const [before = '', queryText = ''] = rest.split('?', 2);
  const path = before.startsWith('//') ? before.slice(2) : before;
  if (path === '') throw malformed(text, 'name the socket: unix:/path/to/socket');
  const { username, password, ...query } = queryOf(text, queryText, [...QUERY, 'username', 'password']);
  return {
    kind: 'standalone',
    at: { path },
    tls: false,
    query,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...databaseOf(text, query.db),
  };
}

function sentinel(text: string, rest: string, scheme: string): Address {
  const { authority, path, query } = split(text, rest, SENTINEL_QUERY);
  const { credentials, hosts } = authorityOf(text, authority, 26379);
  const [name = '', database] = path.slice(1).split('/');
  if (name === '')
    throw malformed(text, 'name the master that the sentinels watch: redis+sentinel://host/name');
  return {
    kind: 'sentinel',
    hosts,
    name: decoded(text, name),
    tls: scheme.toLowerCase().startsWith('rediss'),
    query,
    ...credentials,
    ...databaseOf(text, database ?? query.db),
  };
}

function cluster(text: string, rest: string, scheme: string): Address {
  const { authority, path, query } = split(text, rest, QUERY);
  const { credentials, hosts } = authorityOf(text, authority, 6379);
  const database = databaseOf(text, path.slice(1) || query.db);
  if ((database.database ?? 0) !== 0) throw malformed(text, 'a Cluster has only database 0');
  return { kind: 'cluster', hosts, tls: scheme.toLowerCase().startsWith('rediss'), query, ...credentials };
}

function split(
  text: string,
  rest: string,
  known: readonly string[],
): { authority: string; path: string; query: Record<string, string> } {
  if (!rest.startsWith('//')) throw malformed(text, 'two slashes follow the colon: redis://host');
  const [, authority = '', path = '', queryText = ''] = /^\/\/([^/?]*)([^?]*)(?:\?(.*))?$/s.exec(rest) ?? [];
  if (path.includes('@') || /@[^&=]*$/.test(queryText)) {
    throw malformed(text, 'in a user name or password, / is written %2F and ? is written %3F');
  }
  return { authority, path, query: queryOf(text, queryText, known) };
}

function queryOf(text: string, queryText: string, known: readonly string[]): Record<string, string> {
  const query: Record<string, string> = {};
  // A plus sign is itself here, unlike in HTML forms, where it is a space.
  for (const [name, value] of new URLSearchParams(queryText.replaceAll('+', '%2B'))) {
    if (!known.includes(name)) throw malformed(text, `'${name}' is not one of ${known.join(', ')}`);
    query[name] = value;
  }
  return query;
}

function authorityOf(
  text: string,
  authority: string,
  defaultPort: number,
): { credentials: Credentials; hosts: HostAddress[] } {
  const at = authority.lastIndexOf('@');
  const hosts = authority
    .slice(at + 1)
    .split(',')
    .map((host) => hostOf(text, host, defaultPort));
  return { credentials: at < 0 ? {} : credentialsOf(text, authority.slice(0, at)), hosts };
}

function credentialsOf(text: string, part: string): Credentials {
  const colon = part.indexOf(':');
  const username = decoded(text, colon < 0 ? part : part.slice(0, colon));
  const password = colon < 0 ? undefined : decoded(text, part.slice(colon + 1));
  return {
    ...(username === '' ? {} : { username }),
    ...(password === undefined ? {} : { password }),
  };
}

function decoded(text: string, part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw malformed(text, 'in a user name, password or name, % is written %25');
  }
}

function hostOf(text: string, part: string, defaultPort: number): HostAddress {
  const [, bracketed, plain, portText] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d+))?$/.exec(part.trim()) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined) throw malformed(text, `'${part}' is not host or host:port`);
  const port = portText === undefined ? defaultPort : Number(portText);
  if (port < 1 || port > 65_535)
    throw malformed(text, `${portText} is not a port number: the largest is 65535`);
  return { host, port };
}

function databaseOf(text: string, part: string | undefined): { database?: number } {
  if (part === undefined || part === '') return {};
  if (!/^\d+$/.test(part)) throw malformed(text, `'${part}' is not the number of a database`);
  return { database: Number(part) };
}

function malformed(text: string, reason: string): StoreError {
  return new StoreError('ADDRESS', `'${withoutPassword(text)}' is not an address: ${reason}`);
}

/** The address without its password, for error texts. */
export function withoutPassword(text: string): string {
  // Everything before the last @ may be part of a password that was not percent-encoded.
  return text.replace(/\/\/.*@/s, '//***@').replace(/(password=)[^&]*/gi, '$1***');
}
