import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A command as the words to send; numbers are sent as their digits. */
export type Words = readonly (string | number)[];

/** Sends commands to a server as fast as it takes them, without asking for replies. */
export class Loader {
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  static async connect(port: number): Promise<Loader> {
    const socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    await once(socket, 'connect');
    return new Loader(socket);
  }

  /** Sends `count` commands and returns when the server has run all of them. */
  async send(
    count: number,
    command: (i: number) => Words,
    onProgress?: (done: number) => void,
  ): Promise<void> {
    await this.#write('*3\r\n$6\r\nCLIENT\r\n$5\r\nREPLY\r\n$3\r\nOFF\r\n');
    for (let from = 0; from < count; from += BATCH) {
      const end = Math.min(count, from + BATCH);
      let text = '';
      for (let i = from; i < end; i++) text += encode(command(i));
      await this.#write(text);
      onProgress?.(end);
    }
    const answered = this.#answer();
    await this.#write('*3\r\n$6\r\nCLIENT\r\n$5\r\nREPLY\r\n$2\r\nON\r\n');
    await answered;
  }

  /** One command; the raw reply, which must come in one piece. */
  async ask(...words: Words): Promise<string> {
    const answered = this.#answer();
    await this.#write(encode(words));
    return answered;
  }

  close(): void {
    this.#socket.destroy();
  }

  async #answer(): Promise<string> {
    const [chunk] = (await once(this.#socket, 'data')) as [Buffer];
    return chunk.toString('latin1');
  }

  async #write(text: string): Promise<void> {
    if (!this.#socket.write(text, 'latin1')) await once(this.#socket, 'drain');
  }
}

function encode(words: Words): string {
  let text = `*${words.length}\r\n`;
  for (const word of words) {
    const bytes = String(word);
    text += `$${bytes.length}\r\n${bytes}\r\n`;
  }
  return text;
}

const BATCH = 500;
