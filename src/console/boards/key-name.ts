/** A key of a component, `prefix:{name}:part`. */
export interface KeyName {
  readonly prefix: string;
  readonly name: string;
  readonly part: string;
}

const NAMED = /^([^{}]+):\{(.+?)\}:(.+)$/s;

/** Undefined if the key is not named as those of components are, or is not text. */
export function keyNameOf(key: string): KeyName | undefined {
  if (key.includes('\u{fffd}')) return undefined;
  const [, prefix, name, part] = NAMED.exec(key) ?? [];
  return prefix === undefined || name === undefined || part === undefined
    ? undefined
    : { prefix, name, part };
}

/** The first word of a part: `article:7` → `article`. */
export function wordOf(part: string): string {
  const end = part.indexOf(':');
  return end < 0 ? part : part.slice(0, end);
}
