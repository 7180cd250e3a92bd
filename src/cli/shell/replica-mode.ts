import { closeSync, openSync, writeSync } from 'node:fs';
import type { Socket } from 'node:net';
import { REASONS } from '../wire/connect.js';
import { type Link, LinkError } from '../wire/link.js';
import { ReplyDecoder } from '../wire/reply-decoder.js';
import { requestOf } from '../wire/request.js';
import type { Console } from './console.js';
import { formatReply } from './format-reply.js';

/** `--rdb FILE`: a dump as replicas get it, into a file or, with `-`, to standard output. */
export async function saveRdb(
  link: Link,
  path: string,
  onlyFunctions: boolean,
  report: (line: string) => void,
): Promise<void> {
  await introduce(link, report, [
    ['capa', 'eof'],
    ['rdb-only', '1'],
    ...(onlyFunctions ? [['rdb-filter-only', 'functions']] : []),
  ]);
  const transfer = await beginTransfer(link);
  const size =
    transfer.mark === undefined
      ? `${transfer.size} bytes of bulk transfer`
      : 'bytes of bulk transfer until EOF marker';
  report(`SYNC sent to master, writing ${size} to '${path}'`);
  const fd = path === '-' ? 1 : openForWriting(path);
  let bytes = 0;
  try {
    await transfer.read((chunk) => {
      for (let at = 0; at < chunk.length; ) at += writeSync(fd, chunk, at);
      bytes += chunk.length;
    });
  } finally {
    if (fd !== 1) closeSync(fd);
    transfer.socket.destroy();
  }
  report(`Transfer finished with success after ${bytes} bytes`);
}

/** `--replica`: skips the dump and prints the commands that the master sends. */
export async function followMaster(
  link: Link,
  console: Console,
  report: (line: string) => void,
): Promise<void> {
  await introduce(link, report, [
    ['capa', 'eof'],
    ['rdb-filter-only', ''],
  ]);
  await streamCommands(await beginTransfer(link), console, report);
}

/** SYNC or PSYNC typed by the user has been sent: what follows is a dump and a stream of commands. */
export async function streamFromMaster(link: Link, console: Console): Promise<void> {
  console.print('Entering replica output mode...  (press Ctrl-C to quit)\n');
  await streamCommands(await awaitTransfer(link), console, (line) => console.error(line));
}

async function introduce(
  link: Link,
  report: (line: string) => void,
  facts: readonly (readonly string[])[],
): Promise<void> {
  for (const fact of facts) {
    report(`sending REPLCONF ${fact.join(' ')}`);
    const reply = await link.call('REPLCONF', ...fact);
    if (reply.kind === 'error') throw new Error(`REPLCONF ${fact.join(' ')} failed: ${reply.text}`);
  }
}

async function streamCommands(
  { socket, size, mark, read }: Transfer,
  console: Console,
  report: (line: string) => void,
): Promise<void> {
  const shown =
    size === undefined ? 'bytes of bulk transfer until EOF marker' : `${size} bytes of bulk transfer`;
  report(`SYNC with master, discarding ${shown}...`);
  let discarded = mark?.length ?? 0;
  const rest = await read((chunk) => {
    discarded += chunk.length;
  });
  report(`SYNC done${size === undefined ? ` after ${discarded} bytes` : ''}. Logging commands from master.`);
  const stopAcknowledging = size === undefined ? acknowledge(socket, report) : () => {};
  const decoder = new ReplyDecoder();
  const print = (chunk: Buffer): void => {
    decoder.push(chunk);
    for (let command = decoder.next(); command !== undefined; command = decoder.next()) {
      console.print(formatReply(command, { ...console.style, mode: 'csv' }));
    }
  };
  print(rest);
  socket.on('data', print);
  socket.resume();
  await closed(socket);
  stopAcknowledging();
  throw new LinkError('Server closed the connection');
}

/**
 * A master that sends the dump from memory sends commands only after the replica has confirmed the dump, and does not notice a
 * confirmation that comes too early: it is sent every second, as replicas do.
 */
function acknowledge(socket: Socket, report: (line: string) => void): () => void {
  report('sending REPLCONF ACK 0');
  const timer = setInterval(() => socket.write(requestOf(['REPLCONF', 'ACK', '0'])), 1_000);
  return () => clearInterval(timer);
}

/** The bulk that a master sends: of a known size, or up to a mark. */
interface Transfer {
  readonly socket: Socket;
  readonly size: number | undefined;
  readonly mark: Buffer | undefined;
  /** Calls back with all bytes of the bulk; resolves with those behind it. */
  read(onBytes: (chunk: Buffer) => void): Promise<Buffer>;
}

function beginTransfer(link: Link): Promise<Transfer> {
  link.write(requestOf(['SYNC']));
  return awaitTransfer(link);
}

async function awaitTransfer(link: Link): Promise<Transfer> {
  const { socket, rest } = link.release();
  const source = new SocketBytes(socket, rest);
  for (;;) {
    const line = await source.line();
    // The master sends empty lines while it prepares the dump.
    if (line === '' || /^\+(?:FULLRESYNC|CONTINUE)/.test(line)) continue;
    if (!line.startsWith('$')) throw new Error(`SYNC with master failed: ${line.replace(/^-/, '')}`);
    if (!line.startsWith('$EOF:')) {
      const size = Number(line.slice(1));
      return { socket, size, mark: undefined, read: (onBytes) => source.exactly(size, onBytes) };
    }
    const mark = Buffer.from(line.slice(5), 'latin1');
    return { socket, size: undefined, mark, read: (onBytes) => source.until(mark, onBytes) };
  }
}

/** The bytes of a socket, read on demand. */
class SocketBytes {
  readonly #socket: Socket;
  #rest: Buffer;
  #isClosed = false;
  #wake: () => void = () => {};

  constructor(socket: Socket, rest: Buffer) {
    this.#socket = socket;
    this.#rest = rest;
    socket.on('data', this.#take);
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#isClosed = true;
      this.#wake();
    });
  }

  readonly #take = (chunk: Buffer): void => {
    this.#socket.pause();
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#wake();
  };

  async line(): Promise<string> {
    for (;;) {
      const end = this.#rest.indexOf('\n');
      if (end >= 0) {
        const line = this.#rest.latin1Slice(0, end).replace(/\r$/, '');
        this.#rest = this.#rest.subarray(end + 1);
        return line;
      }
      await this.#more();
    }
  }

  async exactly(size: number, onBytes: (chunk: Buffer) => void): Promise<Buffer> {
    for (let missing = size; missing > 0; ) {
      if (this.#rest.length === 0) await this.#more();
      const chunk = this.#rest.subarray(0, missing);
      this.#rest = this.#rest.subarray(chunk.length);
      missing -= chunk.length;
      onBytes(chunk);
    }
    return this.#finish();
  }

  async until(mark: Buffer, onBytes: (chunk: Buffer) => void): Promise<Buffer> {
    for (;;) {
      const end = this.#rest.indexOf(mark);
      // The mark may have arrived in part: so much is not passed on yet.
      const safe = end >= 0 ? end : Math.max(0, this.#rest.length - mark.length + 1);
      if (safe > 0) onBytes(this.#rest.subarray(0, safe));
      this.#rest = this.#rest.subarray(end >= 0 ? end + mark.length : safe);
      if (end >= 0) return this.#finish();
      await this.#more();
    }
  }

  #finish(): Buffer {
    this.#socket.off('data', this.#take);
    return this.#rest;
  }

  async #more(): Promise<void> {
    if (this.#isClosed) throw new LinkError('Server closed the connection');
    const before = this.#rest;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      this.#socket.resume();
    });
    if (this.#rest === before && this.#isClosed) throw new LinkError('Server closed the connection');
  }
}

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

function openForWriting(path: string): number {
  try {
    return openSync(path, 'w', 0o644);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new Error(`Error opening '${path}': ${REASONS[code] ?? message}`);
  }
}
