import { KitError, shown } from '../foundation/index.js';
import { internalsOf, type Sessions } from './sessions.js';
import { type CookieOptions, SignedCookies } from './signed-cookies.js';
import { type CookieJar, RequestSession, type WebSession } from './web-session.js';

/** A request as `node:http`, express and fastify have it. */
export interface NodeRequest {
  readonly headers: { readonly cookie?: string | undefined };
}

/** A response as `node:http` and express have it. */
export interface NodeResponse {
  readonly headersSent: boolean;
  appendHeader(name: string, value: string): unknown;
}

/** A reply as fastify has it: a `Set-Cookie` header is added to those that are there. */
export interface FastifyReplyLike {
  readonly sent: boolean;
  header(name: string, value: string): unknown;
}

/** Handles a request of the fetch standard with its session. */
export type FetchHandler<Data extends object, Rest extends unknown[]> = (
  request: Request,
  session: WebSession<Data>,
  ...rest: Rest
) => Response | Promise<Response>;

/** Sessions of web requests, by a signed cookie. */
export interface SessionCookies<Data extends object = Record<string, unknown>> {
  /**
   * The session of a request of `node:http`. Changes that need a cookie add it to the response.
   *
   * @example
   * const web = sessionCookies(sessions(store), { secrets: ['a key of 16 or more characters'] });
   * const server = createServer(async (request, response) => {
   *   const session = await web.open(request, response);
   *   await session.update({ visits: Number(session.data.visits ?? 0) + 1 });
   *   response.end(`visit ${session.data.visits}`);
   * });
   */
  open(request: NodeRequest, response: NodeResponse): Promise<WebSession<Data>>;
  /** Middleware for express: sets `request.session`. */
  express(): (request: NodeRequest, response: NodeResponse, next: (error?: unknown) => void) => void;
  /** A hook for fastify's `onRequest`: sets `request.session`. */
  fastify(): (request: NodeRequest, reply: FastifyReplyLike) => Promise<void>;
  /**
   * A handler of the fetch standard, made of one that also takes a session. Cookies are added to its response.
   *
   * @example
   * const web = sessionCookies(sessions(store), { secrets: ['a key of 16 or more characters'] });
   * const handle = web.fetch(async (request, session) => {
   *   await session.login('ann');
   *   return new Response('welcome');
   * });
   * (await handle(new Request('http://localhost/'))).headers.getSetCookie().length; // 1
   */
  fetch<Rest extends unknown[]>(
    handler: FetchHandler<Data, Rest>,
  ): (request: Request, ...rest: Rest) => Promise<Response>;
}

/**
 * Sessions of web requests: a signed cookie carries the token.
 *
 * @example
 * const web = sessionCookies(sessions(store), { secrets: ['a key of 16 or more characters'], secure: false });
 */
export function sessionCookies<Data extends object>(
  sessions: Sessions<Data>,
  options: CookieOptions,
): SessionCookies<Data> {
  const { lifetime } = internalsOf('sessionCookies', sessions);
  const cookies = new SignedCookies(options);
  const opened = (header: string | undefined, jar: CookieJar): Promise<WebSession<Data>> =>
    RequestSession.open(sessions, cookies, lifetime, header, jar);
  const openNode = (request: NodeRequest, response: NodeResponse): Promise<WebSession<Data>> =>
    opened(request.headers.cookie, {
      isSent: () => response.headersSent,
      add: (header) => {
        response.appendHeader('Set-Cookie', header);
      },
    });
  return {
    open: async (request, response) => {
      if (typeof request?.headers !== 'object' || typeof response?.appendHeader !== 'function') {
        throw new KitError(
          'OPTION',
          `sessionCookies: open takes the request and the response of node:http, not ${shown(request)}`,
        );
      }
      return openNode(request, response);
    },
    express: () => (request, response, next) => {
      openNode(request, response).then((session) => {
        Object.assign(request, { session });
        next();
      }, next);
    },
    fastify: () => async (request, reply) => {
      const session = await opened(request.headers.cookie, {
        isSent: () => reply.sent,
        add: (header) => {
          reply.header('set-cookie', header);
        },
      });
      Object.assign(request, { session });
    },
    fetch: (handler) => {
      if (typeof handler !== 'function') {
        throw new KitError('OPTION', `sessionCookies: fetch takes a function, not ${shown(handler)}`);
      }
      return async (request, ...rest) => {
        const added: string[] = [];
        let isSent = false;
        const session = await opened(request.headers.get('cookie') ?? undefined, {
          isSent: () => isSent,
          add: (header) => added.push(header),
        });
        const response = await handler(request, session, ...rest);
        isSent = true;
        if (added.length === 0) return response;
        // The headers of a response that came from `fetch` cannot be changed.
        const answer = new Response(response.body, response);
        for (const header of added) answer.headers.append('Set-Cookie', header);
        return answer;
      };
    },
  };
}
