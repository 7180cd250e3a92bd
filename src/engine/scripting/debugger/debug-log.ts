/** The lines that the debugger shows with its next reply. */
export class DebugLog {
  /** The script stops at the next line. Commands and errors are shown then. */
  isStepping = true;
  /** Longer values are trimmed; 0 for no limit. */
  maxLength = DEFAULT_MAX_LENGTH;
  /** The client knows of `maxlen`. */
  isHintGiven = false;
  #lines: string[] = [];

  add(line: string): void {
    this.#lines.push(line);
  }

  addTrimmed(line: string): void {
    if (this.maxLength === 0 || line.length <= this.maxLength) {
      this.add(line);
      return;
    }
    this.add(`${line.slice(0, this.maxLength)} ...`);
    if (this.isHintGiven) return;
    this.isHintGiven = true;
    this.add("<hint> The above reply was trimmed. Use 'maxlen 0' to disable trimming.");
  }

  whenStepping(line: () => string): void {
    if (this.isStepping) this.add(line());
  }

  trimmedWhenStepping(line: () => string): void {
    if (this.isStepping) this.addTrimmed(line());
  }

  /** An array of status replies with all lines, which are forgotten. */
  take(): Buffer {
    const lines = this.#lines.map((line) => `+${line.replace(/[\r\n]/g, ' ')}\r\n`);
    this.#lines = [];
    return Buffer.from(`*${lines.length}\r\n${lines.join('')}`, 'latin1');
  }
}

const DEFAULT_MAX_LENGTH = 256;
