import type { RateDecision, WindowState } from './policy.js';

const SECOND = 1_000;

/**
 * The HTTP headers of a decision: `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11), with an
 * item for each window, and `Retry-After` if the call was refused.
 *
 * @example
 * const decision = await rateLimiter(store, { limit: 10, per: 60_000 }).take('user:7');
 * rateLimitHeaders(decision); // { 'RateLimit-Policy': '"default";q=10;w=60', RateLimit: '"default";r=9;t=6' }
 */
export function rateLimitHeaders(decision: RateDecision): Record<string, string> {
  const { isAllowed, isBlocked, retryIn, windows } = decision;
  const policy = { 'RateLimit-Policy': windows.map(policyItem).join(', ') };
  if (isAllowed) return { ...policy, RateLimit: windows.map(limitItem).join(', ') };
  // Only the windows that refused: an item must not promise a longer wait than Retry-After.
  const refusing = isBlocked
    ? windows.map((window) => ({ ...window, remaining: 0, nextIn: retryIn }))
    : windows.filter((window) => !window.isAllowed);
  return { ...policy, RateLimit: refusing.map(limitItem).join(', '), 'Retry-After': `${seconds(retryIn)}` };
}

/** The header has whole seconds: a shorter period is rounded up, so that a client that obeys is not refused. */
function policyItem({ name, limit, per }: WindowState): string {
  return `"${name}";q=${limit};w=${seconds(per)}`;
}

/** `t`: until then there are no more units than these. */
function limitItem({ name, remaining, nextIn }: WindowState): string {
  return `"${name}";r=${remaining}${nextIn === 0 ? '' : `;t=${seconds(nextIn)}`}`;
}

function seconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / SECOND));
}

/** The body of a refusal: the problem type of the same draft. */
export function refusalBody({ windows, isBlocked }: RateDecision): string {
  const violated = windows.filter(({ isAllowed }) => !isAllowed).map(({ name }) => name);
  return JSON.stringify({
    type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
    title: isBlocked ? 'Too many requests: blocked' : 'Too many requests',
    status: TOO_MANY_REQUESTS,
    'violated-policies': violated,
  });
}

export const TOO_MANY_REQUESTS = 429;
export const PROBLEM_TYPE = 'application/problem+json';
