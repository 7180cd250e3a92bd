/** Calls of the console's server. Every request carries the token, so that no page of another origin can make one. */
import type { WireBytes } from '../types/wire-bytes.js';

export type { WireBytes };

/** A value of a query: bytes that are not text are sent as JSON, after a `~`. */
type QueryValue = string | number | boolean | WireBytes | undefined;
export type Query = Readonly<Record<string, QueryValue>>;

/** What the server refused, with its text for people. */
export class ApiFailure extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const base = new URL('.', document.baseURI);
const STORED_TOKEN = `sorrel-console-token:${base.pathname}`;

/** Takes the token out of the address, so that it is neither shown nor kept in the history. */
export function takeToken(): void {
  const given = /^#token=([\w.~-]+)$/.exec(location.hash)?.[1];
  if (given === undefined) return;
  storeToken(given);
  history.replaceState(null, '', `${location.pathname}${location.search}#/`);
}

export function storeToken(token: string): void {
  localStorage.setItem(STORED_TOKEN, token);
}

/** Whether a token was entered, or was in the address. */
export const hasToken = (): boolean => localStorage.getItem(STORED_TOKEN) !== null;

function headers(): Record<string, string> {
  const token = localStorage.getItem(STORED_TOKEN);
  return { 'x-sorrel-console': '1', ...(token === null ? {} : { authorization: `Bearer ${token}` }) };
}

function address(path: string, query: Query = {}): URL {
  const url = new URL(`api/${path}`, base);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, queryText(value));
  }
  return url;
}

function queryText(value: Exclude<QueryValue, undefined>): string {
  if (typeof value === 'string' && !value.startsWith('~')) return value;
  return typeof value === 'string' || typeof value === 'object' ? `~${JSON.stringify(value)}` : String(value);
}

/** An answer, or an event of a steady stream, that takes longer than this is missed. A gentle search makes pauses of some seconds. */
const LATE_MS = 2_000;
const LATE_EVENT_MS = 6_000;
let late = 0;

/** How many answers are missing for longer than they should: the event `late` tells that it has changed. */
export const lateAnswers = (): number => late;

function changeLate(change: number): void {
  late += change;
  dispatchEvent(new Event('late'));
}

/** Counts the answer as late as long as it is. */
async function awaited<Answer>(answer: Promise<Answer>, patience = LATE_MS): Promise<Answer> {
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    changeLate(1);
  }, patience);
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
    if (isLate) changeLate(-1);
  }
}

export async function get<Result>(path: string, query?: Query, signal?: AbortSignal): Promise<Result> {
  return answerOf(
    await awaited(reach(address(path, query), { headers: headers(), ...(signal && { signal }) })),
  );
}

export async function post<Result>(path: string, body: object, signal?: AbortSignal): Promise<Result> {
  return answerOf(
    await awaited(
      reach(address(path), {
        method: 'POST',
        headers: { ...headers(), 'content-type': 'application/json' },
        body: JSON.stringify(body),
        ...(signal && { signal }),
      }),
    ),
  );
}

async function reach(url: URL, options: RequestInit): Promise<Response> {
  try {
    return await fetch(url, options);
  } catch (error) {
    if (options.signal?.aborted === true) throw error;
    throw new ApiFailure(0, 'AWAY', 'the console does not answer: is it still running?');
  }
}

async function answerOf<Result>(response: Response): Promise<Result> {
  if (!response.ok) throw await failureOf(response);
  return (await response.json()) as Result;
}

async function failureOf(response: Response): Promise<ApiFailure> {
  try {
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    return new ApiFailure(response.status, error.code, error.message);
  } catch {
    return new ApiFailure(response.status, 'ANSWER', `the console answered with status ${response.status}`);
  }
}

/** Listeners by event name. Their data is what the server's `emit` was given. */
export type Listeners = Readonly<Record<string, (data: never) => void>>;

/**
 * Reads a stream of events until it ends or the signal aborts it. Rejects if the server fails or goes away. The events of a `steady` one
 * are expected all the time, and missed if they are late.
 */
export async function stream(
  path: string,
  query: Query,
  listeners: Listeners,
  signal: AbortSignal,
  { steady = false } = {},
): Promise<void> {
  const response = await reach(address(path, query), { headers: headers(), signal });
  if (!response.ok || response.body === null) throw await failureOf(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await (steady ? awaited(reader.read(), LATE_EVENT_MS) : reader.read());
    if (done) throw new ApiFailure(0, 'AWAY', 'the console does not answer: is it still running?');
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = /^event: (.*)$/m.exec(block)?.[1];
      if (event === undefined) continue;
      if (event === 'end') return;
      const data: unknown = JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? 'null');
      if (event === 'failed') throw failed(data);
      listeners[event]?.(data as never);
    }
  }
}

function failed(data: unknown): ApiFailure {
  const { error } = data as { error: { code: string; message: string } };
  return new ApiFailure(422, error.code, error.message);
}
