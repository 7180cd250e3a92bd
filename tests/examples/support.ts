/** Starts the examples as their users do, and visits them. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Server, startRedis, whenRedisIsInstalled } from '../support/fleet/index.js';

const PATIENCE_MS = 60_000;

/** A process of an example. */
export class Application {
  readonly #process: ChildProcess;
  readonly url: string;

  private constructor(child: ChildProcess, url: string) {
    this.#process = child;
    this.url = url;
  }

  /** @param example its folder in examples/ */
  static async start(
    example: string,
    address: string,
    environment: Readonly<Record<string, string>>,
  ): Promise<Application> {
    const pathOf = (file: string): string =>
      fileURLToPath(new URL(`../../examples/${example}/${file}`, import.meta.url));
    const child = spawn(process.execPath, ['--import', 'tsx', pathOf('main.ts'), address, '--port=0'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      // With this configuration, examples use the sources in place of the build.
      env: { ...process.env, TSX_TSCONFIG_PATH: pathOf('../tsconfig.json'), ...environment },
    });
    let said = '';
    for await (const chunk of child.stdout as NodeJS.ReadableStream) {
      said += String(chunk);
      const [url] = /http:\/\/[\d.:]+/.exec(said) ?? [];
      if (url !== undefined) return new Application(child, url);
    }
    throw new Error(`${example} did not start: ${said}`);
  }

  /** For processes that a failed test has left. */
  kill(): void {
    this.#process.kill('SIGKILL');
  }

  /** Ends it as a person would. */
  async stop(): Promise<number | null> {
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    const limit = setTimeout(() => this.#process.kill('SIGKILL'), PATIENCE_MS);
    const [code] = (await ended) as [number | null];
    clearTimeout(limit);
    return code;
  }
}

/** A browser without windows: keeps cookies. */
export class Browser {
  readonly #cookies = new Map<string, string>();
  url: string;

  constructor(application: Application) {
    this.url = application.url;
  }

  async get(path: string): Promise<string> {
    return (await this.ask(path)).text();
  }

  async json<T>(path: string): Promise<T> {
    return (await (await this.ask(path)).json()) as T;
  }

  /** Sends a form; returns where the answer leads. */
  async send(path: string, form: Readonly<Record<string, string | number>>): Promise<string> {
    const response = await this.ask(path, formOf(form));
    assert.equal(response.status, 303, await response.text());
    return response.headers.get('location') as string;
  }

  async ask(path: string, options: RequestInit = {}): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(options.headers as object), ...(cookie === '' ? {} : { cookie }) };
    const response = await fetch(new URL(path, this.url), { ...options, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.#cookies.set(name, value);
    }
    return response;
  }
}

export function formOf(fields: Readonly<Record<string, string | number>>): RequestInit {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) body.set(name, String(value));
  return { method: 'POST', body };
}

export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const giveUpAt = Date.now() + PATIENCE_MS;
  while (!(await isSo())) {
    assert.ok(Date.now() < giveUpAt, `did not happen: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export interface Kind {
  readonly name: string;
  readonly skip: string | false | undefined;
  /** How many processes serve the example. */
  readonly processes: number;
  start(): Promise<{
    address: string;
    /** The process of the server that has the data; undefined if it is in the application. */
    server?: ChildProcess;
    stop(): Promise<void>;
  }>;
}

export const KINDS: readonly Kind[] = [
  {
    name: 'embedded',
    skip: false,
    processes: 1,
    start: async () => ({ address: 'memory:', stop: async () => {} }),
  },
  {
    name: 'two processes on redis-server',
    skip: whenRedisIsInstalled.skip,
    processes: 2,
    start: async () => {
      const server: Server = await startRedis();
      return {
        address: `redis://127.0.0.1:${server.port}`,
        server: server.process,
        stop: async () => {
          await server.stop();
        },
      };
    },
  },
];
