import type { Store } from '../../store/index.js';
import {
  callback,
  checkStore,
  flag,
  integer,
  KitError,
  optional,
  resolveOptions,
  ruled,
  shown,
} from '../foundation/index.js';
import { shortened } from './argument-key.js';
import { checkedTags } from './cached.js';
import { capture, type NodeResponseLike } from './captured-response.js';
import { Entries, type Production, producerFailed } from './entries.js';
import { CACHE_RULES, type CacheOptions } from './options.js';
import { encodePage, isStorable, type Page, servePage } from './page.js';

/** Options of `pageCache`. */
export interface PageCacheOptions extends CacheOptions {
  /** Whether a request must not be answered from the cache. Default: it has the parameter `_` in its query. */
  readonly isDynamic?: (url: URL) => boolean;
  /** The item that a page shows, for `views`. */
  readonly itemOf?: (url: URL) => string | undefined;
  /** With it, only pages of the most viewed items are cached: those with a rank of `top` or better. Needs `itemOf`. */
  readonly views?: { rank(item: string): Promise<number | undefined> };
  /** Default 10,000. */
  readonly top?: number;
  /** Tags of a page, by which it can be invalidated together with others. */
  readonly tags?: (url: URL) => readonly string[];
  /** Names of request headers that pages depend on, such as `accept-language`. Default: none. */
  readonly vary?: readonly string[];
  /**
   * Whether requests with cookies are answered from the cache, too: only if no page depends on them. Default false: they go
   * to the handler.
   */
  readonly ignoreCookies?: boolean;
  /** Larger bodies are not cached, in bytes. Default 1,048,576. */
  readonly maxBytes?: number;
}

/** A request of node:http or express, as far as the cache uses it. */
export interface NodeRequestLike {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** Express: the whole path, also in a mounted application. */
  readonly originalUrl?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A cache of rendered pages. Responses have the header `X-Cache`: hit, stale or miss; without it they bypassed the cache. */
export interface PageCache {
  /**
   * A handler of `node:http` with a cache before it.
   *
   * @example
   * const pages = pageCache(store, { ttl: 300_000 });
   * const server = createServer(pages.node((request, response) => response.end('a page')));
   */
  node<Request extends NodeRequestLike, Response extends NodeResponseLike>(
    handler: (request: Request, response: Response) => unknown,
  ): (request: Request, response: Response) => Promise<void>;
  /** Middleware for express. */
  express(): (request: NodeRequestLike, response: NodeResponseLike, next: (error?: unknown) => void) => void;
  /**
   * A handler of the fetch standard with a cache before it. A stale page is refreshed after it was returned.
   *
   * @example
   * const handle = pageCache(store).fetch(() => new Response('a page'));
   * await handle(new Request('http://localhost/'));
   * (await handle(new Request('http://localhost/'))).headers.get('x-cache'); // 'hit'
   */
  fetch<Rest extends unknown[]>(
    handler: (request: Request, ...rest: Rest) => Response | Promise<Response>,
  ): (request: Request, ...rest: Rest) => Promise<Response>;
  /** Removes the page of this address, in all its variants: `http://shop.example/item?id=7`. */
  invalidate(url: string | URL): Promise<boolean>;
  /** Removes all pages with this tag, and results of `cached` with the same prefix. Returns how many there were. */
  invalidateTag(tag: string): Promise<number>;
}

const names = ruled<readonly string[]>(
  (value) =>
    Array.isArray(value) && value.every((name) => typeof name === 'string' && /^[\w-]+$/.test(name))
      ? undefined
      : 'must be a list of names of headers',
  [],
);

const RULES = {
  ...CACHE_RULES,
  isDynamic: callback<(url: URL) => boolean>((url) => url.searchParams.has('_')),
  itemOf: optional(callback<(url: URL) => string | undefined>()),
  views: optional(
    ruled<NonNullable<PageCacheOptions['views']>>((value) =>
      typeof (value as { rank?: unknown } | null)?.rank === 'function'
        ? undefined
        : 'must be the result of `viewAnalytics`',
    ),
  ),
  top: integer(10_000, { min: 1 }),
  tags: optional(callback<(url: URL) => readonly string[]>()),
  vary: names,
  ignoreCookies: flag(false),
  maxBytes: integer(1_048_576, { min: 1 }),
};

/** What the cache has to know of a request. */
interface Asked {
  readonly method: string;
  readonly url: URL;
  header(name: string): string;
}

/** What to do with a request. */
type Decision =
  | { readonly kind: 'page'; readonly page: Buffer; readonly state: 'hit' | 'stale' }
  | { readonly kind: 'produce'; readonly production: Production; readonly stale: Buffer | undefined }
  | { readonly kind: 'bypass' };

/**
 * Caches rendered pages for all processes. One process at a time renders a page; others wait for it. Only GET requests are
 * cached, and only responses that are not marked as private.
 *
 * @example
 * const pages = pageCache(store, { ttl: 300_000, stale: 60_000, tags: (url) => [`path:${url.pathname}`] });
 */
export function pageCache(store: Store, given: PageCacheOptions = {}): PageCache {
  checkStore('pageCache', store);
  const options = resolveOptions('pageCache', given, RULES);
  const { isDynamic, itemOf, views, top, tags, ignoreCookies, maxBytes, compressFrom, onError } = options;
  if (views !== undefined && itemOf === undefined) {
    throw new KitError('OPTION', 'pageCache: `views` needs `itemOf`, which names the item of a page');
  }
  const vary = options.vary.map((name) => name.toLowerCase());
  const entries = new Entries('pageCache', store, options);

  const addressOf = (url: URL): string => {
    const sorted = new URL(url);
    sorted.searchParams.sort();
    return `${sorted.host}${sorted.pathname}${sorted.search}`;
  };
  const nameOf = (url: URL, header: (name: string) => string): string => {
    const varied = vary.map((name) => ` ${name}=${header(name)}`).join('');
    return `page:${shortened(addressOf(url) + varied)}`;
  };
  /** All pages of an address, whatever the headers they depend on. */
  const variantsOf = (url: URL): string => `page:${shortened(addressOf(url))}`;
  const tagsOf = (url: URL): string[] => {
    const own = tags === undefined ? [] : checkedTags(entries, tags(url));
    return vary.length === 0 ? [...own] : [...own, variantsOf(url)];
  };

  async function isPopular(url: URL): Promise<boolean> {
    if (views === undefined) return true;
    const item = itemOf?.(url);
    if (item === undefined) return false;
    const rank = await views.rank(item);
    return rank !== undefined && rank <= top;
  }

  async function decide({ method, url, header }: Asked): Promise<Decision> {
    const isPersonal = header('authorization') !== '' || (!ignoreCookies && header('cookie') !== '');
    if (method !== 'GET' || isPersonal || isDynamic(url)) return { kind: 'bypass' };
    const name = nameOf(url, header);
    const found = await entries.peek(name).catch(() => undefined);
    if (found !== undefined) return { kind: 'page', page: found, state: 'hit' };
    const grant = await entries.claim(name).catch((error: unknown) => {
      // Another process takes very long, or the server refuses: the visitor gets a page all the same.
      onError(error);
      return { kind: 'bypass' } as const;
    });
    switch (grant.kind) {
      case 'hit':
        return { kind: 'page', page: grant.hit.body, state: grant.hit.freshFor > 0 ? 'hit' : 'stale' };
      case 'failed':
        throw producerFailed(name, grant.reason);
      case 'bypass':
        return grant;
      case 'produce': {
        const { production } = grant;
        try {
          if (await isPopular(url)) {
            if (tags !== undefined || vary.length > 0) await production.begun();
            return { kind: 'produce', production, stale: grant.stale?.body };
          }
        } catch (error) {
          onError(error);
        }
        await production.release('bypass');
        return { kind: 'bypass' };
      }
    }
  }

  /** Stores a page, or lets those who wait for it make their own. */
  async function finish(production: Production, url: URL, page: Page | undefined): Promise<void> {
    if (page === undefined) return production.release('bypass');
    let own: readonly string[] = [];
    let body: Buffer;
    try {
      own = tagsOf(url);
      body = await encodePage(page, compressFrom);
    } catch (error) {
      onError(error);
      return production.release('bypass');
    }
    await production.store(body, own);
  }

  async function serveNode(
    request: NodeRequestLike,
    response: NodeResponseLike,
    run: () => unknown,
  ): Promise<void> {
    const header = (name: string): string => [request.headers[name] ?? ''].flat().join(', ');
    const url = urlOf(request, header('host'));
    const asked = { method: request.method ?? 'GET', url, header };
    const decision = await decide(asked);
    if (decision.kind === 'bypass') {
      await run();
      return;
    }
    if (decision.kind === 'page') {
      const served = await servePage(decision.page, header('accept-encoding'), decision.state);
      response.statusCode = served.status;
      for (const [name, values] of grouped(served.headers)) response.setHeader(name, values);
      response.end(served.body);
      return;
    }
    const { production } = decision;
    response.setHeader('X-Cache', 'miss');
    const captured = capture(response, maxBytes).then((page) => {
      const get = (name: string): string | undefined => headerOf(page, name);
      const isGood = page !== undefined && isStorable(page.status, get, vary);
      return finish(production, url, isGood ? page : undefined);
    });
    captured.catch(onError);
    try {
      await run();
    } catch (error) {
      await production.release('bypass');
      throw error;
    }
  }

  async function render(
    production: Production,
    url: URL,
    make: () => Response | Promise<Response>,
  ): Promise<Response> {
    let response: Response;
    try {
      response = await make();
    } catch (error) {
      await production.release({ failed: error instanceof Error ? error.message : String(error) });
      throw error;
    }
    const get = (name: string): string | undefined => response.headers.get(name) ?? undefined;
    const isLarge = Number(get('content-length') ?? 0) > maxBytes;
    if (isLarge || !isStorable(response.status, get, vary)) {
      await production.release('bypass');
      return response;
    }
    const [mine, theirs] = response.body?.tee() ?? [null, null];
    const copy = async (): Promise<void> => {
      const body = await readAll(mine, maxBytes).catch(() => undefined);
      const page = body && { status: response.status, headers: [...response.headers], body };
      await finish(production, url, page);
    };
    copy().catch(onError);
    const answer = new Response(theirs, response);
    answer.headers.set('X-Cache', 'miss');
    return answer;
  }

  return {
    node: (handler) => {
      checkHandler(handler);
      return (request, response) => serveNode(request, response, () => handler(request, response));
    },
    express: () => (request, response, next) => {
      serveNode(request, response, () => next()).catch(next);
    },
    fetch: (handler) => {
      checkHandler(handler);
      return async (request, ...rest) => {
        const header = (name: string): string => request.headers.get(name) ?? '';
        const url = new URL(request.url);
        const decision = await decide({ method: request.method, url, header });
        if (decision.kind === 'bypass') return handler(request, ...rest);
        if (decision.kind === 'page') {
          return responseOf(decision.page, header('accept-encoding'), decision.state);
        }
        const { production, stale } = decision;
        if (stale === undefined) return render(production, url, () => handler(request, ...rest));
        const again = new Request(request);
        render(production, url, () => handler(again, ...rest))
          .then((response) => response.body?.cancel())
          .catch(onError);
        return responseOf(stale, header('accept-encoding'), 'stale');
      };
    },
    invalidate: async (url) => {
      const address = checkedUrl(url);
      if (vary.length === 0) return entries.invalidate(nameOf(address, () => ''));
      return (await entries.invalidateTag(variantsOf(address))) > 0;
    },
    invalidateTag: async (tag) => {
      entries.checkTag(tag);
      return entries.invalidateTag(tag);
    },
  };
}

function checkHandler(handler: unknown): void {
  if (typeof handler === 'function') return;
  throw new KitError('OPTION', `pageCache: a handler must be a function, not ${shown(handler)}`);
}

function checkedUrl(url: string | URL): URL {
  try {
    return new URL(url);
  } catch {
    throw new KitError(
      'OPTION',
      `pageCache: an address must be complete, as in 'http://host/path', not ${shown(url)}`,
    );
  }
}

/** Hosts and paths come from clients: what cannot be read becomes an address that is cached for itself. */
function urlOf(request: NodeRequestLike, host: string): URL {
  const path = request.originalUrl ?? request.url ?? '/';
  try {
    return new URL(path.startsWith('/') ? `http://${host}${path}` : path);
  } catch {
    return new URL('http://unknown/?_=');
  }
}

/** Headers of one name together, as `setHeader` takes them. */
function grouped(headers: readonly (readonly [string, string])[]): [string, string | string[]][] {
  const byName = new Map<string, string[]>();
  for (const [name, value] of headers) {
    const found = byName.get(name.toLowerCase());
    if (found === undefined) byName.set(name.toLowerCase(), [value]);
    else found.push(value);
  }
  return [...byName].map(([name, values]) => [name, values.length === 1 ? (values[0] as string) : values]);
}

function headerOf(page: Page | undefined, name: string): string | undefined {
  const values = page?.headers.filter(([other]) => other.toLowerCase() === name).map(([, value]) => value);
  return values === undefined || values.length === 0 ? undefined : values.join(', ');
}

async function responseOf(page: Buffer, acceptEncoding: string, state: string): Promise<Response> {
  const { status, headers, body } = await servePage(page, acceptEncoding, state);
  return new Response(new Uint8Array(body), {
    status,
    headers: headers.map(([name, value]) => [name, value]),
  });
}

/** The bytes of a stream; undefined if there are more than `max`. */
async function readAll(stream: ReadableStream<Uint8Array> | null, max: number): Promise<Buffer | undefined> {
  if (stream === null) return Buffer.alloc(0);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks);
    bytes += value.length;
    if (bytes > max) {
      reader.cancel().catch(() => {});
      return undefined;
    }
    chunks.push(value);
  }
}
