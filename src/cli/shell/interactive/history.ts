import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { splitWords } from '../../../bytes/quoting.js';

/** The lines typed in earlier sessions, latest last. Lines with passwords are not kept. */
export class History {
  readonly #path: string | undefined;
  #lines: string[] = [];

  constructor(environment: Readonly<Record<string, string | undefined>>) {
    const path = environment['REDISCLI_HISTFILE'] ?? join(homedir(), '.sorrelcli_history');
    this.#path = path === '' || path === '/dev/null' ? undefined : path;
    try {
      if (this.#path !== undefined)
        this.#lines = readFileSync(this.#path, 'utf8').split('\n').filter(Boolean).slice(-MAX_LINES);
    } catch {
      // There is none yet, or it cannot be read: the session begins without.
    }
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  /** Returns whether the line may be remembered. */
  add(line: string): boolean {
    if (hasPassword(line)) return false;
    if (line === '' || this.#lines.at(-1) === line) return true;
    this.#lines = [...this.#lines, line].slice(-MAX_LINES);
    try {
      if (this.#path !== undefined) {
        writeFileSync(this.#path, `${this.#lines.join('\n')}\n`, { mode: 0o600 });
        chmodSync(this.#path, 0o600);
      }
    } catch {
      // A session without a file keeps its history in memory.
    }
    return true;
  }
}

/** Whether a line may contain a password. */
export function hasPassword(line: string): boolean {
  const words = (splitWords(line) ?? line.split(/\s+/)).map((word) => word.toLowerCase());
  // `3 AUTH …` repeats a command.
  const [name, second, ...rest] = /^\d+$/.test(words[0] ?? '') ? words.slice(1) : words;
  switch (name) {
    case 'auth':
      return true;
    case 'acl':
      return second === 'setuser' || second === 'deluser';
    case 'config':
      return second === 'set' && rest.some((word) => SECRET_SETTINGS.test(word));
    case 'hello':
    case 'migrate':
      return rest.includes('auth') || rest.includes('auth2');
    case 'sentinel':
      return second === 'set' || second === 'config';
    default:
      return false;
  }
}

const SECRET_SETTINGS = /^(?:requirepass|masterauth|masteruser|tls-.*-pass)$/;
const MAX_LINES = 1000;
