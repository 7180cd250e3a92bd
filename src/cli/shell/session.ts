import { setTimeout as sleep } from 'node:timers/promises';
import type { Link } from '../wire/link.js';
import { LinkError } from '../wire/link.js';
import { itemsOf, textOf, type WireReply } from '../wire/reply.js';
import type { Client } from './client.js';
import { type Console, Exit } from './console.js';
import type { CliOptions } from './options.js';
import { streamFromMaster } from './replica-mode.js';

/** Runs commands on a client and prints what they reply. */
export class Session {
  readonly client: Client;
  readonly #console: Console;
  readonly #options: CliOptions;
  /** Commands are typed or come from standard input; the exit code is not that of a single one. */
  readonly #isInteractive: boolean;
  /** Ends the wait of the command that runs. */
  #interrupt: (() => void) | undefined;

  constructor(client: Client, console: Console, options: CliOptions, isInteractive: boolean) {
    this.client = client;
    this.#console = console;
    this.#options = options;
    this.#isInteractive = isInteractive;
  }

  /** Runs a command `repeat` times, forever if that is negative. Returns whether it was answered. */
  async run(args: readonly string[], repeat = 1): Promise<boolean> {
    if (isHelp(args[0] as string)) {
      const { helpFor } = await import('./help.js');
      this.#console.print(helpFor(args.slice(1)));
      return true;
    }
    for (let attempt = 0; ; attempt++) {
      try {
        const { link } = this.client;
        if (link === undefined) throw new LinkError('');
        await this.#runOn(link, args, repeat);
        return true;
      } catch (error) {
        if (error instanceof Redirected) {
          await this.#follow(error);
          continue;
        }
        if (!(error instanceof LinkError)) throw error;
        if (attempt > 0) {
          if (error.message !== '') this.#console.error(`Error: ${error.message}`);
          return false;
        }
        await this.client.connect();
      }
    }
  }

  /** Ends a command that waits: the connection is given up, and a new one is made. False if none runs. */
  interrupt(): boolean {
    this.#interrupt?.();
    return this.#interrupt !== undefined;
  }

  async #runOn(link: Link, args: readonly string[], repeat: number): Promise<void> {
    const name = (args[0] as string).toLowerCase();
    for (let run = 0; repeat < 0 || run < repeat; run++) {
      link.send(args);
      if (name === 'monitor') await this.#stream(link, args, false);
      else if (SUBSCRIBING.has(name)) await this.#stream(link, args, true);
      else if (name === 'sync' || name === 'psync') {
        await streamFromMaster(link, this.#console);
        return;
      } else if (name === 'shutdown' && !(await this.#shutDown(link, args))) return;
      else if (name !== 'shutdown') await this.#readReply(link, args);
      if (this.#options.intervalMs > 0 && (repeat < 0 || run + 1 < repeat))
        await sleep(this.#options.intervalMs);
    }
  }

  async #readReply(link: Link, args: readonly string[]): Promise<void> {
    const reply = await this.#interruptible(link, () => link.read());
    if (reply === undefined) return;
    if (reply.kind === 'error') {
      this.client.noteError(args);
      const target = this.#options.followsRedirections ? redirectionOf(reply.text) : undefined;
      if (target !== undefined) throw target;
      if (this.#options.exitsOnError && !this.#isInteractive) {
        this.#console.error(reply.text);
        throw new Exit(1);
      }
    }
    this.client.noteResult(args, reply);
    this.#console.reply(reply, isText(args));
  }

  /** SHUTDOWN is answered only if it fails. */
  async #shutDown(link: Link, args: readonly string[]): Promise<boolean> {
    try {
      await this.#readReply(link, args);
      return true;
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
      this.client.link = undefined;
      link.close();
      return false;
    }
  }

  /** Prints what arrives until the connection ends, or Ctrl-C; an error ends it, too. */
  async #stream(link: Link, args: readonly string[], isSubscription: boolean): Promise<void> {
    const onPush = link.onPush;
    link.onPush = undefined;
    if (isSubscription && this.#console.style.mode !== 'raw')
      this.#console.print('Reading messages... (press Ctrl-C to quit)\n');
    try {
      for (;;) {
        const reply = await this.#interruptible(link, () => link.read());
        if (reply === undefined) return;
        this.#console.reply(reply, isText(args));
        if (reply.kind === 'error' || hasEnded(args, reply)) return;
      }
    } catch (error) {
      if (!(error instanceof LinkError) || this.#isInteractive) throw error;
      this.#console.error(`Error: ${error.message}`);
      throw new Exit(1);
    } finally {
      link.onPush = onPush;
    }
  }

  /** Undefined if the user interrupted it. */
  async #interruptible<T>(link: Link, work: () => Promise<T>): Promise<T | undefined> {
    let isInterrupted = false;
    this.#interrupt = () => {
      isInterrupted = true;
      link.close();
    };
    try {
      return await work();
    } catch (error) {
      if (!isInterrupted) throw error;
      await this.client.connect();
      return undefined;
    } finally {
      this.#interrupt = undefined;
    }
  }

  async #follow({ slot, host, port, isAsking }: Redirected): Promise<void> {
    const { endpoint } = this.client;
    this.client.endpoint = { ...endpoint, host: host === '' ? endpoint.host : host, port, path: undefined };
    if (this.#console.style.mode === 'standard') {
      this.#console.print(
        `-> Redirected to slot [${slot}] located at ${this.client.endpoint.host}:${port}\n`,
      );
    }
    await this.client.connect();
    if (isAsking) await this.client.link?.call('ASKING');
  }
}

/** The command belongs to another server of a Cluster. */
class Redirected extends Error {
  readonly slot: string;
  readonly host: string;
  readonly port: number;
  readonly isAsking: boolean;

  constructor(slot: string, host: string, port: number, isAsking: boolean) {
    super('redirected');
    this.slot = slot;
    this.host = host;
    this.port = port;
    this.isAsking = isAsking;
  }
}

function redirectionOf(text: string): Redirected | undefined {
  const [, kind, slot = '', host = '', port] = /^(MOVED|ASK) (\d+) (.*):(\d+)$/.exec(text) ?? [];
  return kind === undefined ? undefined : new Redirected(slot, host, Number(port), kind === 'ASK');
}

const SUBSCRIBING = new Set(['subscribe', 'psubscribe', 'ssubscribe']);

export function isHelp(name: string): boolean {
  return /^(?:help|\?)$/i.test(name);
}

/** A subscription in RESP3 whose channels were all left would wait forever. */
function hasEnded(args: readonly string[], reply: WireReply): boolean {
  const [kind, , count] = itemsOf(reply);
  return args.length > 0 && /unsubscribe$/.test(textOf(kind)) && textOf(count) === '0';
}

/** Whether the reply is a text for people, which is printed as it is in every mode. */
function isText(args: readonly string[]): boolean {
  const [name = '', subcommand = ''] = args.map((word) => word.toLowerCase());
  return name === 'info' || name === 'lolwut' || TEXT_SUBCOMMANDS[name]?.has(subcommand) === true;
}

const TEXT_SUBCOMMANDS: Readonly<Record<string, ReadonlySet<string>>> = {
  debug: new Set(['htstats', 'htstats-key']),
  memory: new Set(['malloc-stats', 'doctor']),
  cluster: new Set(['nodes', 'info']),
  client: new Set(['list', 'info']),
  latency: new Set(['graph', 'doctor']),
  proxy: new Set(['info']),
};
