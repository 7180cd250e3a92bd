import assert from 'node:assert/strict';
import { type Plain, plain, RawClient, type Server } from '../../oracle/support/index.js';
import type { Word } from './engine.js';
import type { Target } from './random-commands.js';

/** A running server and a connection to it. */
export class Live {
  readonly server: Server;
  readonly client: RawClient;

  private constructor(server: Server, client: RawClient) {
    this.server = server;
    this.client = client;
  }

  static async of(server: Server): Promise<Live> {
    return new Live(server, await RawClient.connect(server.port));
  }

  async call(...words: Word[]): Promise<Plain> {
    return plain(await this.client.call(words.map(toArgument), 60_000));
  }

  /** Runs a command that must not fail. */
  async must(...words: Word[]): Promise<Plain> {
    const reply = await this.call(...words);
    assert.ok(!(reply instanceof Error), `${words.join(' ').slice(0, 200)}: ${reply}`);
    return reply;
  }

  /** Sends all commands of `collect` in one pipeline. */
  async pipeline(collect: (target: Target) => void): Promise<void> {
    const commands: (string | Buffer)[][] = [];
    collect({ run: (...words) => commands.push(words.map(toArgument)) });
    for (let from = 0; from < commands.length; from += 1000) {
      const batch = commands.slice(from, from + 1000);
      this.client.send(...batch);
      for (const _ of batch) await this.client.next(60_000);
    }
  }

  /** A field of INFO. */
  async info(field: string): Promise<string> {
    const text = String(await this.must('INFO'));
    const value = new RegExp(`^${field}:(.*)\\r$`, 'm').exec(text)?.[1];
    assert.ok(value !== undefined, `INFO shows no ${field}`);
    return value;
  }

  /** Waits until a field of INFO has this value. */
  async untilInfo(field: string, value: string): Promise<void> {
    const giveUpAt = Date.now() + 60_000;
    for (let found = ''; found !== value; found = await this.info(field)) {
      assert.ok(Date.now() < giveUpAt, `${field} is ${found}, not ${value}`);
    }
  }

  /** Everything that a file must contain about every key, by database and key. */
  async contents(): Promise<Map<string, Plain[]>> {
    const contents = new Map<string, Plain[]>();
    for (let db = 0; db < 16; db++) {
      await this.must('SELECT', db);
      for (const key of (await this.must('KEYS', '*')) as string[]) {
        contents.set(`${db} ${key}`, await this.#describe(key));
      }
    }
    await this.must('SELECT', 0);
    return contents;
  }

  /** The servers visit hash tables in different orders, so their DUMP payloads may differ. */
  async #describe(latin1Key: string): Promise<Plain[]> {
    const key = Buffer.from(latin1Key, 'latin1');
    const encoding = await this.must('OBJECT', 'ENCODING', key);
    const [digest] = (await this.must('DEBUG', 'DIGEST-VALUE', key)) as string[];
    const expiry = await this.must('PEXPIRETIME', key);
    const dump = encoding === 'hashtable' ? '' : await this.must('DUMP', key);
    return [await this.must('TYPE', key), encoding, digest as string, expiry, dump];
  }

  close(): void {
    this.client.close();
  }
}

function toArgument(word: Word): string | Buffer {
  return typeof word === 'number' ? String(word) : word;
}
