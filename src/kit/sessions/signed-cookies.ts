import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  flag,
  KitError,
  oneOf,
  optional,
  type Resolved,
  resolveOptions,
  ruled,
} from '../foundation/index.js';

/** Options of the cookie that carries a session's token. It is always `HttpOnly`. */
export interface CookieOptions {
  /**
   * The keys that sign the cookie, at least 16 characters each. The first one signs; cookies signed with the others are
   * accepted and signed again. To replace a key, put the new one first, and remove the old one after `lifetime`.
   */
  readonly secrets: readonly string[];
  /** Default `sid`. A name that begins with `__Host-` needs `secure`, the path `/` and no domain. */
  readonly name?: string;
  /** Whether browsers send it only over HTTPS. Default true. */
  readonly secure?: boolean;
  /** Default `lax`: not with requests that other sites make, except links to a page. */
  readonly sameSite?: 'strict' | 'lax' | 'none';
  /** Default `/`. */
  readonly path?: string;
  /** Default: the host that sets it. */
  readonly domain?: string;
}

const MIN_SECRET = 16;

/** Characters that cannot end an attribute or a header. */
const attribute = (fallback?: string) =>
  ruled<string>(
    (value) =>
      typeof value === 'string' && /^[\x21-\x3a\x3c-\x7e]+$/.test(value)
        ? undefined
        : 'must be a string of visible ASCII characters without semicolons',
    fallback,
  );

const RULES = {
  secrets: ruled<readonly string[]>((value) => {
    const isList = Array.isArray(value) && value.length > 0;
    const areLong = isList && value.every((key) => typeof key === 'string' && key.length >= MIN_SECRET);
    return areLong ? undefined : `must be a list of strings of at least ${MIN_SECRET} characters`;
  }),
  name: ruled<string>(
    (value) =>
      typeof value === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(value)
        ? undefined
        : 'must be a valid name of a cookie',
    'sid',
  ),
  secure: flag(true),
  sameSite: oneOf(['strict', 'lax', 'none'], 'lax'),
  path: attribute('/'),
  domain: optional(attribute()),
};

/** The token of a request's cookie. */
export interface FoundToken {
  readonly token: string;
  /** It was signed with an old key: send it again. */
  readonly isOld: boolean;
}

/** Writes and reads a cookie that holds a token and its signature. */
export class SignedCookies {
  readonly #options: Resolved<typeof RULES>;

  constructor(given: CookieOptions) {
    const options = resolveOptions('sessionCookies', given ?? {}, RULES);
    const { name, secure, sameSite, path, domain } = options;
    if (name.startsWith('__Host-') && !(secure && path === '/' && domain === undefined)) {
      throw new KitError(
        'OPTION',
        'sessionCookies: a name that begins with __Host- needs `secure`, the path / and no `domain`',
      );
    }
    if (sameSite === 'none' && !secure) {
      throw new KitError('OPTION', "sessionCookies: browsers refuse `sameSite` 'none' without `secure`");
    }
    this.#options = options;
  }

  /** The header `Set-Cookie` for a token that is valid for this many ms. */
  header(token: string, lifetime: number): string {
    const [secret = ''] = this.#options.secrets;
    const value = `${token}.${this.#signature(token, secret).toString('base64url')}`;
    return this.#withAttributes(value, Math.ceil(lifetime / 1_000));
  }

  /** The header `Set-Cookie` that makes a browser forget the token. */
  clearing(): string {
    return this.#withAttributes('', 0);
  }

  /** The token in a header `Cookie`, if it has a valid signature. */
  find(header: string | undefined): FoundToken | undefined {
    // A browser may send several cookies of this name, for different paths and domains.
    for (const part of (header ?? '').split(';')) {
      const at = part.indexOf('=');
      if (at < 0 || part.slice(0, at).trim() !== this.#options.name) continue;
      const found = this.#verified(part.slice(at + 1).trim());
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #verified(value: string): FoundToken | undefined {
    const dot = value.lastIndexOf('.');
    if (dot <= 0) return undefined;
    const token = value.slice(0, dot);
    const given = Buffer.from(value.slice(dot + 1), 'base64url');
    const { secrets } = this.#options;
    const at = secrets.findIndex((secret) => {
      const right = this.#signature(token, secret);
      return given.length === right.length && timingSafeEqual(given, right);
    });
    return at < 0 ? undefined : { token, isOld: at > 0 };
  }

  /** The name is signed, too: a cookie of another purpose with the same key is not accepted. */
  #signature(token: string, secret: string): Buffer {
    return createHmac('sha256', secret).update(`${this.#options.name}=${token}`).digest();
  }

  #withAttributes(value: string, seconds: number): string {
    const { name, secure, sameSite, path, domain } = this.#options;
    const parts = [`${name}=${value}`, `Path=${path}`, `Max-Age=${seconds}`];
    if (domain !== undefined) parts.push(`Domain=${domain}`);
    parts.push('HttpOnly', `SameSite=${sameSite[0]?.toUpperCase()}${sameSite.slice(1)}`);
    if (secure) parts.push('Secure');
    return parts.join('; ');
  }
}
