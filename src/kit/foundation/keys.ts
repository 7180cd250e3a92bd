import { KitError } from './kit-error.js';
import { shown } from './options.js';

/** How many names' keys are kept ready: the same few names are used again and again. */
const MAX_NAMES = 1_000;

/**
 * Names the keys of one thing: `prefix:{name}:part`. The braces make Redis Cluster put all parts of a name into one slot,
 * so that a script may touch them together; different names spread over the cluster.
 *
 * @example
 * const keysOf = keyNaming('locks', 'lock', ['state', 'queue']);
 * keysOf('report'); // { state: 'lock:{report}:state', queue: 'lock:{report}:queue' }
 */
export function keyNaming<const Part extends string>(
  owner: string,
  prefix: string,
  parts: readonly Part[],
): (name: string) => Readonly<Record<Part, string>> {
  if (/[{}]/.test(prefix)) {
    throw new KitError('OPTION', `${owner}: \`prefix\` must not contain braces, not '${prefix}'`);
  }
  const known = new Map<string, Readonly<Record<Part, string>>>();
  return (name) => {
    const ready = known.get(name);
    if (ready !== undefined) return ready;
    checkName(owner, name);
    const entries = parts.map((part) => [part, `${prefix}:{${name}}:${part}`]);
    const keys = Object.freeze(Object.fromEntries(entries) as Record<Part, string>);
    if (known.size === MAX_NAMES) known.clear();
    known.set(name, keys);
    return keys;
  };
}

/** Any text will do, unless nothing would be left between the braces for Redis Cluster to hash. */
export function checkName(owner: string, name: string): void {
  if (typeof name !== 'string' || name === '' || name.startsWith('}')) {
    throw new KitError(
      'OPTION',
      `${owner}: a name is a string that is not empty and does not begin with '}', not ${shown(name)}`,
    );
  }
}
