import { isIP } from 'node:net';

/** The address of a server: the host as it was given, which may be a name, and the address it resolved to. */
export interface ResolvedAddress {
  readonly host: string;
  readonly ip: string;
  readonly port: number;
}

export function isSameAddress(a: ResolvedAddress, b: ResolvedAddress): boolean {
  return a.port === b.port && (a.ip === b.ip || a.host.toLowerCase() === b.host.toLowerCase());
}

/** Resolves host names; undefined if there is no such host. */
export type Resolve = (host: string) => string | undefined;

/** Turns hosts into addresses. Names are resolved only with `resolve-hostnames`. */
export class Addresses {
  resolvesNames = false;
  /** Whether other servers and clients are told names instead of addresses. */
  announcesNames = false;
  readonly #resolve: Resolve;

  constructor(resolve: Resolve) {
    this.#resolve = resolve;
  }

  /** Undefined if it is a name that cannot be resolved, or names are not resolved at all. */
  ipOf(host: string): string | undefined {
    if (isIP(host) !== 0) return host;
    return this.resolvesNames ? this.#resolve(host) : undefined;
  }

  /** With a name that cannot be resolved now, the address is resolved later, when a connection is opened. */
  address(host: string, port: number): ResolvedAddress | undefined {
    const ip = this.ipOf(host);
    if (ip === undefined && !(this.resolvesNames && host !== '')) return undefined;
    return { host, ip: ip ?? '', port };
  }

  /** Whether the server at the address is the one that others know under this host. */
  isAt({ ip }: ResolvedAddress, host: string): boolean {
    return this.ipOf(host) === ip;
  }

  announced({ host, ip }: ResolvedAddress): string {
    return this.announcesNames || ip === '' ? host : ip;
  }
}
