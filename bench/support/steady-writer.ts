import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Words } from './load.js';

/** Writes small batches of commands at a steady rate, and records how long each batch waited for its replies. */
export class SteadyWriter {
  readonly #socket: Socket;
  readonly #sent: number[] = [];
  #waits: number[] = [];
  #pending = 0;
  readonly #timer: NodeJS.Timeout;

  private constructor(socket: Socket, rate: number, command: () => Words) {
    this.#socket = socket;
    const perTick = Math.max(1, Math.round((rate * TICK_MS) / 1000));
    socket.on('data', (chunk: Buffer) => {
      if (chunk[0] === MINUS) throw new Error(`a write was refused: ${chunk.toString('latin1')}`);
      for (const byte of chunk) {
        if (byte !== 10 || ++this.#pending < perTick) continue;
        this.#pending = 0;
        this.#waits.push(performance.now() - (this.#sent.shift() as number));
      }
    });
    this.#timer = setInterval(() => {
      let text = '';
      for (let i = 0; i < perTick; i++) {
        const words = command();
        text += `*${words.length}\r\n`;
        for (const word of words) text += `$${String(word).length}\r\n${word}\r\n`;
      }
      this.#sent.push(performance.now());
      socket.write(text, 'latin1');
    }, TICK_MS);
  }

  static async connect(port: number, rate: number, command: () => Words): Promise<SteadyWriter> {
    const socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    await once(socket, 'connect');
    return new SteadyWriter(socket, rate, command);
  }

  /** The waits since the last call, longest first, including batches without a reply yet. */
  take(): Waits {
    const now = performance.now();
    const waits = [...this.#waits, ...this.#sent.map((at) => now - at)].sort((a, b) => b - a);
    this.#waits = [];
    return { p999: waits[Math.floor(waits.length / 1000)] ?? 0, longest: waits[0] ?? 0 };
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#socket.destroy();
  }
}

/** In ms: the wait that one in a thousand exceeds, and the longest. */
export interface Waits {
  readonly p999: number;
  readonly longest: number;
}

const TICK_MS = 2;
const MINUS = 45;
