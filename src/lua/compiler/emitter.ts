import type { Site } from './site.js';

/** Surrounds the number of a site in generated text until lines are known; no escaped constant contains it. */
const MARK = '\u0001';

/** Collects the places of a chunk where something can fail. */
export class SiteMarks {
  readonly #sites: Site[] = [];

  /** Text to put directly before the call that can fail: becomes a line break. */
  mark(site: Site): string {
    this.#sites.push(site);
    return `${MARK}${this.#sites.length - 1}${MARK}`;
  }

  /** Replaces the marks by line breaks and says which site each line (counted from 1) has. */
  resolve(text: string): { code: string; sites: (Site | undefined)[] } {
    const parts = text.split(MARK);
    const sites: (Site | undefined)[] = [undefined, undefined];
    let code = '';
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i] as string;
      if (i % 2 === 1) {
        code += '\n';
        sites.push(this.#sites[Number(part)]);
        continue;
      }
      code += part;
      for (let at = part.indexOf('\n'); at >= 0; at = part.indexOf('\n', at + 1)) sites.push(undefined);
    }
    return { code, sites };
  }
}

const UNSAFE = /[^A-Za-z0-9_ .,:;()+*=<>!?@#%&|-]/g;

/** A string as JavaScript source. Everything that is not plainly harmless is escaped. */
export function stringLiteral(value: string): string {
  const escaped = value.replace(UNSAFE, (character) => {
    const code = character.charCodeAt(0).toString(16);
    return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u${code.padStart(4, '0')}`;
  });
  return `'${escaped}'`;
}

/** A number as JavaScript source. */
export function numberLiteral(value: number): string {
  if (Number.isNaN(value)) return '(0/0)';
  if (value === Infinity) return '(1/0)';
  if (value === -Infinity) return '(-1/0)';
  if (value === 0) return 1 / value < 0 ? '(-0)' : '0';
  return value < 0 ? `(${value})` : `${value}`;
}
