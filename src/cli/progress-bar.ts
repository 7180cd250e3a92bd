/** A bar on the terminal, on one line that is written over; nothing if standard error is not a terminal. */
export class ProgressBar {
  readonly #output: NodeJS.WriteStream;
  #drawnAt = Number.NEGATIVE_INFINITY;

  constructor(output: NodeJS.WriteStream = process.stderr) {
    this.#output = output;
  }

  /** `share` is between 0 and 1. Drawn at most ten times a second. */
  show(share: number, text: string): void {
    const now = performance.now();
    if (!this.#output.isTTY || now - this.#drawnAt < REDRAW_MS) return;
    this.#drawnAt = now;
    const filled = Math.round(Math.min(1, Math.max(0, share)) * WIDTH);
    const bar = '█'.repeat(filled).padEnd(WIDTH, '░');
    this.#output.write(`\r\x1b[K${bar} ${Math.floor(share * 100)}%, ${text}`);
  }

  clear(): void {
    this.#drawnAt = Number.NEGATIVE_INFINITY;
    if (this.#output.isTTY) this.#output.write('\r\x1b[K');
  }
}

/** `1 key`, `3 keys`, `12,000 keys` */
export function counted(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en-US')} ${number === 1 ? one : many}`;
}

const WIDTH = 30;
const REDRAW_MS = 100;
