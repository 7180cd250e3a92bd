import { KitError } from './kit-error.js';
import { HALF_CHARACTERS, hasHalfCharacters, shown } from './options.js';

/** Number of names whose keys are cached: most programs use a few names repeatedly. */
const MAX_NAMES = 1_000;

/**
 * Builds the keys of one name: `prefix:{name}:part`. The braces make Redis Cluster put all parts of a name into one slot,
 * so that a script can use them together. Different names are spread over the Cluster.
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

/** Any string of whole characters is allowed, unless it leaves nothing between the braces for Redis Cluster to hash. */
export function checkName(owner: string, name: string): void {
  if (typeof name !== 'string' || name === '' || name.startsWith('}')) {
    throw new KitError(
      'OPTION',
      `${owner}: a name must be a non-empty string that does not begin with '}', not ${shown(name)}`,
    );
  }
  if (hasHalfCharacters(name)) throw new KitError('OPTION', `${owner}: a name ${HALF_CHARACTERS}`);
}
