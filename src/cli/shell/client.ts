import { ConnectError, type Endpoint, nameOf } from '../wire/connect.js';
import { Link, LinkError } from '../wire/link.js';
import { textOf, type WireReply } from '../wire/reply.js';
import type { Console } from './console.js';
import type { CliOptions } from './options.js';

/** A command cannot be answered: the connection failed twice. */
export class NotAnswered extends Error {
  override readonly name = 'NotAnswered';
}

/** The connection of a session, with what it has to be told again when it is made anew. */
export class Client {
  endpoint: Endpoint;
  link: Link | undefined;
  database = 0;
  isInTransaction = false;
  /** The database before MULTI, to which DISCARD returns the prompt. */
  #databaseBefore = 0;
  /** The database to select on every connection. */
  #wantedDatabase: number;
  #protocol: 2 | 3;
  readonly #options: CliOptions;
  readonly #console: Console;

  constructor(options: CliOptions, endpoint: Endpoint, console: Console) {
    this.endpoint = endpoint;
    this.#options = options;
    this.#console = console;
    this.#wantedDatabase = options.server.database;
    this.#protocol = options.protocol;
  }

  get name(): string {
    return nameOf(this.endpoint);
  }

  /**
   * Connects, authenticates, selects. Returns whether there is a connection now; a refused password or database is told and
   * leaves the connection as it is.
   */
  async connect(isQuiet = false): Promise<boolean> {
    this.link?.close();
    this.link = undefined;
    this.database = 0;
    this.isInTransaction = false;
    try {
      this.link = await Link.connect(this.endpoint);
    } catch (error) {
      if (!(error instanceof ConnectError)) throw error;
      if (!isQuiet) this.#console.error(error.message);
      return false;
    }
    this.link.onPush = (message) => this.#console.push(message);
    try {
      await this.#introduce(this.link);
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
      this.#console.error(`Error: ${error.message}`);
    }
    return true;
  }

  async #introduce(link: Link): Promise<void> {
    const { password, user } = this.#options.server;
    if (password !== undefined) {
      const reply = await link.call('AUTH', ...(user === undefined ? [] : [user]), password);
      if (this.#tellFailure('AUTH', reply)) return;
    }
    if (this.#wantedDatabase !== 0) {
      const reply = await link.call('SELECT', String(this.#wantedDatabase));
      if (this.#tellFailure(`SELECT ${this.#wantedDatabase}`, reply)) return;
      this.database = this.#wantedDatabase;
    }
    if (this.#protocol === 3) {
      const reply = await link.call('HELLO', '3');
      if (this.#options.isProtocolRequired) this.#tellFailure('HELLO 3', reply);
    }
  }

  #tellFailure(what: string, reply: WireReply): boolean {
    if (reply.kind !== 'error') return false;
    this.#console.error(`${what} failed: ${reply.text}`);
    return true;
  }

  /** Notes what a command changed in the state of the connection, so that the prompt is right. */
  noteResult(args: readonly string[], reply: WireReply): void {
    if (reply.kind === 'error') return;
    const name = (args[0] as string).toLowerCase();
    const isQueued = textOf(reply) === 'QUEUED' && this.isInTransaction;
    if (name === 'select' && args.length === 2) {
      this.database = Number(args[1]);
      this.#wantedDatabase = this.database;
    } else if (name === 'multi' && !isQueued) {
      this.isInTransaction = true;
      this.#databaseBefore = this.database;
    } else if (name === 'exec') {
      this.isInTransaction = false;
      // A transaction that was not executed selected nothing.
      if (reply.kind === 'nil') this.#select(this.#databaseBefore);
    } else if (name === 'discard') {
      this.isInTransaction = false;
      this.#select(this.#databaseBefore);
    } else if (name === 'reset') {
      this.isInTransaction = false;
      this.#select(0);
      this.#protocol = 2;
    } else if (name === 'hello' && (args[1] === '2' || args[1] === '3')) {
      this.#protocol = args[1] === '3' ? 3 : 2;
    }
  }

  /** EXEC that failed ends the transaction, too. */
  noteError(args: readonly string[]): void {
    if (args[0]?.toLowerCase() !== 'exec' || !this.isInTransaction) return;
    this.isInTransaction = false;
    this.#select(this.#databaseBefore);
  }

  #select(database: number): void {
    this.database = database;
    this.#wantedDatabase = database;
  }
}
