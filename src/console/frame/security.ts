import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ApiError } from './api-error.js';

/** The browser's code sends it with each request. Pages of other origins cannot, without asking first. */
export const MARK_HEADER = 'x-sorrel-console';

/**
 * Scripts, styles and connections only of the console itself; nothing inline, no frames, no forms. With trusted types, no code of
 * the page can turn text into HTML.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** The headers of every answer. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
};

export function newToken(): string {
  return randomBytes(24).toString('base64url');
}

/**
 * Refuses a request with a Host that is not the console's. A page whose name an attacker resolves to 127.0.0.1 (DNS rebinding)
 * sends its own name.
 */
export function checkHost(request: IncomingMessage, hosts: ReadonlySet<string>): void {
  const host = request.headers.host?.toLowerCase();
  if (host === undefined || !hosts.has(host)) {
    throw new ApiError(403, 'HOST', 'this name is not one of the console: pass it in the option `hosts`');
  }
}

/** Refuses requests that another site has caused. */
export function checkOrigin(request: IncomingMessage, isApi: boolean): void {
  const { origin, host } = request.headers;
  if (origin !== undefined && hostOf(origin) !== host?.toLowerCase()) {
    throw new ApiError(403, 'ORIGIN', 'requests of other sites are refused');
  }
  const site = request.headers['sec-fetch-site'];
  if (isApi && site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw new ApiError(403, 'ORIGIN', 'requests of other sites are refused');
  }
  if (isApi && request.headers[MARK_HEADER] === undefined) {
    throw new ApiError(403, 'ORIGIN', `the header ${MARK_HEADER} is missing`);
  }
}

function hostOf(origin: string): string | undefined {
  try {
    const { host, protocol } = new URL(origin);
    return protocol === 'http:' || protocol === 'https:' ? host : undefined;
  } catch {
    return undefined;
  }
}

/** Refuses a request without the token. The comparison takes the same time for every wrong one. */
export function checkToken(request: IncomingMessage, token: string): void {
  const given = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
  if (!timingSafeEqual(digestOf(given), digestOf(token))) {
    throw new ApiError(
      401,
      'TOKEN',
      'the token is missing or wrong: open the address that the console printed',
    );
  }
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();
