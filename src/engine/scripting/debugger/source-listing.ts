import type { DebugLog } from './debug-log.js';

/** The source of a script with its breakpoints and the line it has reached. */
export class SourceListing {
  /** Lines with a breakpoint, in the order in which they were set. */
  readonly breakpoints: number[] = [];
  currentLine = 0;
  readonly #lines: readonly string[];
  readonly #log: DebugLog;

  constructor(source: string, log: DebugLog) {
    const text = source.replace(/[\r\n]+$/, '');
    this.#lines = text === '' ? [] : text.split('\n');
    this.#log = log;
  }

  show(line: number): void {
    const current = line === this.currentLine ? '->' : '  ';
    const breakpoint = this.breakpoints.includes(line) ? '#' : ' ';
    const text = this.#lines[line - 1] ?? '<out of range source code line>';
    this.#log.add(`${current}${breakpoint}${String(line).padEnd(3)} ${text}`);
  }

  /** Shows the lines up to `context` lines away from this one. */
  showAround(line: number, context: number): void {
    for (let i = 1; i <= this.#lines.length; i++) if (Math.abs(line - i) <= context) this.show(i);
  }

  /** `break`: shows the breakpoints, adds or removes some. */
  editBreakpoints(words: readonly string[]): void {
    if (words.length === 0) this.#showBreakpoints();
    for (const word of words) {
      if (/^(0|-?[1-9]\d*)$/.test(word)) this.#editBreakpoint(Number(word));
      else this.#log.add(`Invalid argument:'${word}'`);
    }
  }

  #showBreakpoints(): void {
    const { breakpoints } = this;
    if (breakpoints.length === 0) {
      this.#log.add("No breakpoints set. Use 'b <line>' to add one.");
      return;
    }
    this.#log.add(`${breakpoints.length} breakpoints set:`);
    for (const line of breakpoints) this.show(line);
  }

  #editBreakpoint(line: number): void {
    const { breakpoints } = this;
    if (line === 0) {
      breakpoints.length = 0;
      this.#log.add('All breakpoints removed.');
    } else if (line < 0) {
      const place = breakpoints.indexOf(-line);
      if (place >= 0) breakpoints.splice(place, 1);
      this.#log.add(place >= 0 ? 'Breakpoint removed.' : 'No breakpoint in the specified line.');
    } else if (breakpoints.length === MAX_BREAKPOINTS) this.#log.add('Too many breakpoints set.');
    else if (line > this.#lines.length || breakpoints.includes(line)) this.#log.add('Wrong line number.');
    else {
      breakpoints.push(line);
      this.showAround(line, 1);
    }
  }
}

const MAX_BREAKPOINTS = 64;
