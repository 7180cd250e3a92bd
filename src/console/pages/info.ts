import type { StoreServer } from '../../store/servers.js';
import type { CallOptions } from '../../store/transport.js';

/** The fields of one server's INFO. */
export class ServerInfo {
  readonly #fields: ReadonlyMap<string, string>;

  constructor(text: string) {
    this.#fields = new Map(
      [...text.matchAll(/^([^#:\r\n]+):(.*?)\r?$/gm)].map(([, name, value]) => [
        name as string,
        value as string,
      ]),
    );
  }

  has(name: string): boolean {
    return this.#fields.has(name);
  }

  text(name: string): string {
    return this.#fields.get(name) ?? '';
  }

  /** 0 if the server does not have the field. */
  number(name: string): number {
    const value = Number(this.#fields.get(name) ?? 0);
    return Number.isFinite(value) ? value : 0;
  }

  /** The fields whose names begin so, without that beginning. */
  *startingWith(start: string): Generator<readonly [string, string]> {
    for (const [name, value] of this.#fields) {
      if (name.startsWith(start)) yield [name.slice(start.length), value];
    }
  }

  entries(): Iterable<readonly [string, string]> {
    return this.#fields;
  }
}

/** `a=1,b=2` as an object. */
export function pairsOf(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(text.split(',').map((pair) => pair.split('=', 2) as [string, string]));
}

export async function infoOf(
  server: StoreServer,
  sections: readonly string[],
  options?: CallOptions,
): Promise<ServerInfo> {
  return new ServerInfo(String(await server.send('INFO', sections, options)));
}

/** `Sorrel 0.1.0`, `Redis 7.0.15`. */
export function versionIn(info: ServerInfo): string {
  return info.has('sorrel_version')
    ? `Sorrel ${info.text('sorrel_version')}`
    : `Redis ${info.text('redis_version')}`;
}
