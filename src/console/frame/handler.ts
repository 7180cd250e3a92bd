import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Store, StoreError } from '../../store/index.js';
import { ApiError, readOnly } from './api-error.js';
import type { Assets } from './assets.js';
import { EventStream } from './event-stream.js';
import { Inputs } from './inputs.js';
import { loadAssets } from './load-assets.js';
import type { Permission, ResolvedSettings } from './options.js';
import type { ApiCall, ApiRoute, ConsoleContext } from './route.js';
import { checkHost, checkOrigin, SECURITY_HEADERS } from './security.js';

export interface HandlerSetup {
  readonly store: Store;
  readonly settings: ResolvedSettings;
  readonly routes: readonly ApiRoute[];
  /** Values of the Host header that are accepted; undefined for any. Asked at each request. */
  hosts(): ReadonlySet<string> | undefined;
  /** Throws an `ApiError` with 401, or tells what the request may do. */
  authorize(request: IncomingMessage, isApi: boolean): Promise<Permission>;
  /** Ends all requests. */
  readonly closing: AbortSignal;
}

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Answers all requests of a console: the page, its files, and its API. Never rejects. */
export function requestHandler(setup: HandlerSetup): RequestHandler {
  const { store, settings } = setup;
  const routes = new Map(setup.routes.map((route) => [`${methodOf(route)} ${route.path}`, route]));
  if (routes.size !== setup.routes.length) throw new Error('two routes of the console have the same path');
  const context: ConsoleContext = { store, title: settings.title ?? store.kind };
  let assets: Promise<Assets> | undefined;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = urlOf(request);
    const path = pathIn(settings.basePath, url.pathname);
    if (path === undefined) throw new ApiError(404, 'PATH', `the console is at ${settings.basePath}`);
    const isApi = path.startsWith('api/');
    const hosts = setup.hosts();
    if (hosts !== undefined) checkHost(request, hosts);
    checkOrigin(request, isApi);
    const permission = await setup.authorize(request, isApi);
    if (permission === 'none') throw new ApiError(403, 'PERMISSION', 'you may not use this console');
    if (!isApi) {
      assets ??= loadAssets();
      return sendAsset(await assets, path, request, response);
    }
    const route = routes.get(`${request.method} ${path.slice('api/'.length)}`);
    if (route === undefined) throw new ApiError(404, 'PATH', `there is no ${request.method} ${path}`);
    const isReadOnly = settings.readOnly || permission !== 'all';
    if (isReadOnly && route.kind === 'change') throw readOnly();
    await runRoute(route, { context, request, response, url, isReadOnly, closing: setup.closing });
  }

  return async (request, response) => {
    try {
      await answer(request, response);
    } catch (error) {
      refuse(response, error);
    }
  };
}

interface RouteRun {
  readonly context: ConsoleContext;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  readonly isReadOnly: boolean;
  readonly closing: AbortSignal;
}

async function runRoute(route: ApiRoute, run: RouteRun): Promise<void> {
  const { context, request, response, url, isReadOnly, closing } = run;
  const hasBody = route.kind === 'change' || route.kind === 'ask';
  const inputs = hasBody
    ? Inputs.ofBody(await readBody(request, route.maxBody ?? MAX_BODY))
    : Inputs.ofQuery(url.searchParams);
  const limit = route.kind === 'stream' ? STREAM_MS : REQUEST_MS;
  const leaving = new AbortController();
  const onClose = (): void => leaving.abort();
  response.once('close', onClose);
  const signal = AbortSignal.any([leaving.signal, closing, AbortSignal.timeout(limit)]);
  const store = context.store.with(route.kind === 'stream' ? { signal } : { signal, timeout: limit });
  const call: ApiCall = { context, store, inputs, signal, isReadOnly };
  try {
    if (route.kind === 'stream') await sendStream(route, call, response);
    else sendJson(response, 200, (await route.run(call)) ?? {});
  } finally {
    response.off('close', onClose);
  }
}

async function sendStream(
  route: Extract<ApiRoute, { kind: 'stream' }>,
  call: ApiCall,
  response: ServerResponse,
): Promise<void> {
  const events = new EventStream(response, call.signal);
  try {
    await route.run(call, events.emit);
    await events.emit('end', {});
  } catch (error) {
    if (call.signal.aborted) return;
    await events.emit('failed', bodyOf(asApiError(error)));
  } finally {
    events.end();
  }
}

const methodOf = ({ kind }: ApiRoute): string => (kind === 'change' || kind === 'ask' ? 'POST' : 'GET');

/** Express cuts the mount path off `url`. */
function urlOf(request: IncomingMessage & { readonly originalUrl?: string }): URL {
  const target = request.originalUrl ?? request.url ?? '/';
  // A target that begins with // or http:// must not be taken for another host.
  if (!target.startsWith('/')) throw new ApiError(400, 'PATH', 'the request must name a path');
  return new URL(`http://console${target}`);
}

/** The path below `basePath`; undefined if it is not below it. `/redis` is the page of `/redis/`. */
function pathIn(basePath: string, path: string): string | undefined {
  if (path.startsWith(basePath)) return path.slice(basePath.length);
  return `${path}/` === basePath ? REDIRECT : undefined;
}

const REDIRECT = '.';

function sendAsset(assets: Assets, path: string, request: IncomingMessage, response: ServerResponse): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    throw new ApiError(405, 'METHOD', 'the files of the console can only be read');
  }
  if (path === REDIRECT) {
    const { pathname } = urlOf(request);
    response.writeHead(308, { ...SECURITY_HEADERS, location: `${pathname}/` }).end();
    return;
  }
  const asset = assets.get(path === '' ? 'index.html' : path);
  if (asset === undefined) throw new ApiError(404, 'PATH', `there is no file ${path}`);
  const takesBrotli = /\bbr\b/.test(String(request.headers['accept-encoding'] ?? ''));
  const body = takesBrotli ? asset.brotli : asset.plain();
  response.writeHead(200, {
    ...SECURITY_HEADERS,
    'content-type': asset.type,
    'content-length': body.length,
    vary: 'accept-encoding',
    // The names of all other files contain a digest of their content.
    'cache-control': asset.type.startsWith('text/html') ? 'no-store' : 'private, max-age=31536000, immutable',
    ...(takesBrotli ? { 'content-encoding': 'br' } : {}),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(status, {
    ...SECURITY_HEADERS,
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
    'cache-control': 'no-store',
  });
  response.end(body);
}

/** Express and others may have read the body already. */
async function readBody(
  request: IncomingMessage & { readonly body?: unknown },
  max: number,
): Promise<string> {
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/json\b/.test(type)) throw new ApiError(415, 'INPUT', 'the body must be JSON');
  if (request.readableEnded && request.body !== undefined) return JSON.stringify(request.body);
  const tooLarge = new ApiError(413, 'INPUT', `the body is larger than ${max} bytes`);
  if (Number(request.headers['content-length'] ?? 0) > max) throw tooLarge;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > max) throw tooLarge;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const apiError = asApiError(error);
  sendJson(response, apiError.status, bodyOf(apiError));
}

const bodyOf = ({ code, message }: ApiError): object => ({ error: { code, message } });

function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof StoreError) return new ApiError(statusOf(error), error.code, error.message);
  // A defect of the console. The browser gets no more than its kind.
  return new ApiError(500, 'DEFECT', `the console failed: ${error instanceof Error ? error.message : error}`);
}

function statusOf({ code }: StoreError): number {
  if (code === 'TIMEOUT' || code === 'ABORTED') return 504;
  return code === 'UNREACHABLE' || code === 'CLOSED' ? 502 : 422;
}

const MAX_BODY = 1024 * 1024;
const REQUEST_MS = 10_000;
const STREAM_MS = 60 * 60_000;
