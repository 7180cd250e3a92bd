import type { Site } from './site.js';

/** Encloses the number of a site in generated text until its line is known. No escaped constant contains this character. */
const MARK = '\u0001';

/** Collects the sites of a chunk: the places where an error can occur. */
export class SiteMarks {
  readonly #sites: Site[] = [];

  /** Returns the mark to write directly before a call that can fail. It becomes a line break. */
  mark(site: Site): string {
    this.#sites.push(site);
    return `${MARK}${this.#sites.length - 1}${MARK}`;
  }

  /** Replaces the marks with line breaks and returns the site of each line (counted from 1). */
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

/** A string as JavaScript source. All characters except a few harmless ones are escaped. */
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
