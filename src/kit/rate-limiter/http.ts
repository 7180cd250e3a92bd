import { callback, KitError, type Resolved, type Rule, resolveOptions, ruled } from '../foundation/index.js';
import { PROBLEM_TYPE, rateLimitHeaders, refusalBody, TOO_MANY_REQUESTS } from './headers.js';
import type { RateDecision } from './policy.js';
import type { RateLimiter } from './rate-limiter.js';

/** Options of the helpers for web frameworks. */
export interface RequestLimitOptions<Request> {
  /**
   * The name whose units the request takes: the user, the API key, the address. Undefined: the request is not limited.
   */
  readonly name: (request: Request) => string | undefined | Promise<string | undefined>;
  /** Units that a request takes. Default 1. */
  readonly cost?: number | ((request: Request) => number);
}

/** A response of `node:http`, which Express and other frameworks extend. */
export interface NodeResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(body: string): unknown;
}

/** The parts of Fastify's request that usually name a client. For others, declare the parameter as `FastifyRequest`. */
export interface FastifyRequestLike {
  readonly ip: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** The part of Fastify's reply that is used. */
export interface FastifyReplyLike {
  code(status: number): unknown;
  header(name: string, value: string): unknown;
  send(body: string): unknown;
}

const RULES = {
  name: callback<RequestLimitOptions<never>['name']>(),
  cost: ruled<number | ((request: never) => number)>(
    (value) =>
      typeof value === 'function' || Number.isSafeInteger(value)
        ? undefined
        : 'must be a number or a function',
    1,
  ) satisfies Rule<unknown>,
};

/**
 * Middleware for Express, Connect and `node:http`. Sets the headers of `rateLimitHeaders`, and answers a refused request
 * with 429. Errors of the store are passed to `next`.
 *
 * @example
 * import express from 'express';
 *
 * const app = express();
 * const limiter = rateLimiter(store, { limit: 100, per: 60_000 });
 * app.use(limitExpress(limiter, { name: (request) => request.ip }));
 */
export function limitExpress<Request>(
  limiter: RateLimiter,
  given: RequestLimitOptions<Request>,
): (request: Request, response: NodeResponse, next: (error?: unknown) => void) => void {
  const decide = requestLimit('limitExpress', limiter, given);
  const handle = async (request: Request, response: NodeResponse): Promise<boolean> => {
    const decision = await decide(request);
    if (decision === undefined) return true;
    for (const [name, value] of Object.entries(rateLimitHeaders(decision))) response.setHeader(name, value);
    if (decision.isAllowed) return true;
    response.statusCode = TOO_MANY_REQUESTS;
    response.setHeader('Content-Type', PROBLEM_TYPE);
    response.end(refusalBody(decision));
    return false;
  };
  return (request, response, next) => {
    handle(request, response).then((goesOn) => {
      if (goesOn) next();
    }, next);
  };
}

/**
 * A hook for Fastify (`onRequest` or `preHandler`). Sets the headers of `rateLimitHeaders`, and answers a refused request with
 * 429.
 *
 * @example
 * import fastify from 'fastify';
 *
 * const app = fastify();
 * const limiter = rateLimiter(store, { limit: 100, per: 60_000 });
 * app.addHook('onRequest', limitFastify(limiter, { name: (request) => request.ip }));
 */
export function limitFastify<Request extends FastifyRequestLike = FastifyRequestLike>(
  limiter: RateLimiter,
  given: RequestLimitOptions<Request>,
): (request: Request, reply: FastifyReplyLike) => Promise<unknown> {
  const decide = requestLimit('limitFastify', limiter, given);
  return async (request, reply) => {
    const decision = await decide(request);
    if (decision === undefined) return undefined;
    for (const [name, value] of Object.entries(rateLimitHeaders(decision))) reply.header(name, value);
    if (decision.isAllowed) return undefined;
    reply.code(TOO_MANY_REQUESTS);
    reply.header('Content-Type', PROBLEM_TYPE);
    reply.send(refusalBody(decision));
    return reply;
  };
}

/**
 * Wraps a handler of the Fetch standard: `(request) => response`, as in Hono, Next.js, Deno and workers. Adds the headers of
 * `rateLimitHeaders` to its responses, and answers a refused request with 429 itself.
 *
 * @example
 * const limiter = rateLimiter(store, { limit: 100, per: 60_000 });
 * const handler = limitFetch(limiter, { name: (request) => request.headers.get('x-api-key') ?? 'anonymous' },
 *   () => new Response('hello'));
 * (await handler(new Request('http://localhost/'))).status; // 200
 */
export function limitFetch<Rest extends readonly unknown[]>(
  limiter: RateLimiter,
  given: RequestLimitOptions<Request>,
  handler: (request: Request, ...rest: Rest) => Response | Promise<Response>,
): (request: Request, ...rest: Rest) => Promise<Response> {
  if (typeof handler !== 'function') {
    throw new KitError('OPTION', 'limitFetch: the handler must be a function of a request');
  }
  const decide = requestLimit('limitFetch', limiter, given);
  return async (request, ...rest) => {
    const decision = await decide(request);
    if (decision === undefined) return handler(request, ...rest);
    const headers = rateLimitHeaders(decision);
    if (!decision.isAllowed) {
      const init = { status: TOO_MANY_REQUESTS, headers: { ...headers, 'Content-Type': PROBLEM_TYPE } };
      return new Response(refusalBody(decision), init);
    }
    return withHeaders(await handler(request, ...rest), headers);
  };
}

/** The headers of some responses cannot be changed (those of `fetch` and `Response.redirect`). */
function withHeaders(response: Response, added: Readonly<Record<string, string>>): Response {
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(added)) headers.set(name, value);
  const { status, statusText } = response;
  return new Response(response.body, { status, statusText, headers });
}

/** The decision about a request; undefined if it is not limited. */
function requestLimit<Request>(
  owner: string,
  limiter: RateLimiter,
  given: RequestLimitOptions<Request>,
): (request: Request) => Promise<RateDecision | undefined> {
  if (typeof limiter?.take !== 'function') {
    throw new KitError('OPTION', `${owner}: the first argument must be the result of \`rateLimiter\``);
  }
  const { name: nameOf, cost } = resolveOptions(owner, given, RULES) as Resolved<typeof RULES> &
    Required<RequestLimitOptions<Request>>;
  return async (request) => {
    const name = await nameOf(request);
    if (name === undefined) return undefined;
    return limiter.take(name, typeof cost === 'function' ? cost(request) : cost);
  };
}
