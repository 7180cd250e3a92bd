import type { Store } from '../../store/index.js';
import type { Inputs } from './inputs.js';

/** What every part of the console's server side knows. */
export interface ConsoleContext {
  readonly store: Store;
  readonly title: string;
}

/** One request of the browser. */
export interface ApiCall {
  readonly context: ConsoleContext;
  /** The console's store; its calls end with the request, and at its time limit. */
  readonly store: Store;
  readonly inputs: Inputs;
  /** Aborted when the browser leaves, at the time limit, and when the console is closed. */
  readonly signal: AbortSignal;
  readonly isReadOnly: boolean;
}

/** Sends one event to the browser. Resolves when it can take more. */
export type Emit = (event: string, data: unknown) => Promise<void>;

interface Route {
  /** Under `api/`: `keys/value`. */
  readonly path: string;
}

/** GET: its inputs are the query. */
export interface ReadRoute extends Route {
  readonly kind: 'read';
  run(call: ApiCall): Promise<unknown>;
}

/** POST with a JSON body. A read-only console refuses it before it runs. */
export interface ChangeRoute extends Route {
  readonly kind: 'change';
  /** The maximum size of the body in bytes. Default 1 MB. */
  readonly maxBody?: number;
  run(call: ApiCall): Promise<unknown>;
}

/** POST with a JSON body, for what changes nothing or decides by itself whether a read-only console may do it. */
export interface AskRoute extends Route {
  readonly kind: 'ask';
  readonly maxBody?: number;
  run(call: ApiCall): Promise<unknown>;
}

/** GET: a stream of Server-Sent Events, which ends when `run` resolves. */
export interface StreamRoute extends Route {
  readonly kind: 'stream';
  run(call: ApiCall, emit: Emit): Promise<void>;
}

export type ApiRoute = ReadRoute | ChangeRoute | AskRoute | StreamRoute;

/** A route that reads. */
export const read = (path: string, run: ReadRoute['run']): ReadRoute => ({ kind: 'read', path, run });
/** A route that changes data. */
export const change = (path: string, run: ChangeRoute['run'], maxBody?: number): ChangeRoute => ({
  kind: 'change',
  path,
  run,
  ...(maxBody === undefined ? {} : { maxBody }),
});
/** A route with a body that changes nothing, or checks `call.isReadOnly` itself. */
export const ask = (path: string, run: AskRoute['run'], maxBody?: number): AskRoute => ({
  kind: 'ask',
  path,
  run,
  ...(maxBody === undefined ? {} : { maxBody }),
});
/** A route that sends events. */
export const stream = (path: string, run: StreamRoute['run']): StreamRoute => ({ kind: 'stream', path, run });
