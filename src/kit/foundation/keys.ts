import { KitError } from './kit-error.js';

/**
 * Names the keys of one thing: `prefix:{name}:part`. The braces make Redis Cluster put all parts of a name into one slot,
 * so that a script may touch them together; different names spread over the cluster.
 *
 * @example
 * const keysOf = keyNaming('locks', 'lock', ['holds', 'queue']);
 * keysOf('report'); // { holds: 'lock:{report}:holds', queue: 'lock:{report}:queue' }
 */
export function keyNaming<const Part extends string>(
  owner: string,
  prefix: string,
  parts: readonly Part[],
): (name: string) => Readonly<Record<Part, string>> {
  if (/[{}]/.test(prefix)) {
    throw new KitError('OPTION', `${owner}: \`prefix\` must not contain braces, not '${prefix}'`);
  }
  return (name) => {
    checkName(owner, name);
    const entries = parts.map((part) => [part, `${prefix}:{${name}}:${part}`]);
    return Object.fromEntries(entries) as Record<Part, string>;
  };
}

/** Any text will do, unless nothing would be left between the braces for Redis Cluster to hash. */
export function checkName(owner: string, name: string): void {
  if (typeof name !== 'string' || name === '' || name.startsWith('}')) {
    throw new KitError(
      'OPTION',
      `${owner}: a name is a string that is not empty and does not begin with '}'`,
    );
  }
}
