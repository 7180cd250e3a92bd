import type { ServerResponse } from 'node:http';
import type { Emit } from './route.js';
import { SECURITY_HEADERS } from './security.js';

/** Sends Server-Sent Events. A comment every 15 s keeps proxies from closing a stream that has nothing to send. */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #signal: AbortSignal;
  readonly #pulse: NodeJS.Timeout;

  constructor(response: ServerResponse, signal: AbortSignal) {
    this.#response = response;
    this.#signal = signal;
    response.writeHead(200, {
      ...SECURITY_HEADERS,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    response.flushHeaders();
    this.#pulse = setInterval(() => response.write(':\n\n'), PULSE_MS);
  }

  /** Resolves when the browser has taken what was sent before, so that a slow one slows its sender and fills no memory. */
  readonly emit: Emit = async (event, data) => {
    if (this.#signal.aborted) return;
    const isTaken = this.#response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    if (!isTaken) await this.#drained();
  };

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      const go = (): void => {
        this.#response.off('drain', go);
        this.#signal.removeEventListener('abort', go);
        resolve();
      };
      this.#response.once('drain', go);
      this.#signal.addEventListener('abort', go, { once: true });
    });
  }

  end(): void {
    clearInterval(this.#pulse);
    this.#response.end();
  }
}

const PULSE_MS = 15_000;
