import { KitError, resolveOptions, ruled, shown } from '../foundation/index.js';
import type { Entry } from './entry.js';
import { wordsOf } from './words.js';

/** A rectangle on the map, in degrees. If `west` is greater than `east`, it crosses the 180th meridian. */
export interface GeoBox {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/**
 * Which messages a reader gets: those that match `track`, `follow` or `locations`; without any of them, all. Of these, the part that
 * `sample` says.
 */
export interface StreamFilter {
  /** The part of all messages, above 0 up to 1. It depends on their ids: all readers with one `sample` get the same. Default 1. */
  readonly sample?: number;
  /** Phrases. A message matches if it has all words of one of them, in any order and case. */
  readonly track?: readonly string[];
  /** Users. */
  readonly follow?: readonly string[];
  readonly locations?: readonly GeoBox[];
}

/** Limits of filters. */
export interface FilterLimits {
  readonly maxTrack: number;
  readonly maxFollow: number;
  readonly maxLocations: number;
}

export type Matches = (entry: Entry) => boolean;

function listOf<T>(what: string, isItem: (item: unknown) => boolean) {
  return ruled<readonly T[]>(
    (value) => (Array.isArray(value) && value.every(isItem) ? undefined : `must be a list of ${what}`),
    [],
  );
}

const isText = (item: unknown): boolean => typeof item === 'string' && item !== '';

const FILTER_RULES = {
  sample: ruled<number>(
    (value) =>
      typeof value === 'number' && value > 0 && value <= 1
        ? undefined
        : 'must be a number above 0 and up to 1',
    1,
  ),
  track: listOf<string>(
    'phrases, each with a word',
    (item) => isText(item) && wordsOf(item as string).size > 0,
  ),
  follow: listOf<string>('users', isText),
  locations: listOf<GeoBox>('boxes { west, south, east, north } in degrees', isBox),
};

function isBox(value: unknown): boolean {
  const { west, south, east, north } = (value ?? {}) as Partial<Record<keyof GeoBox, unknown>>;
  const isWithin = (degrees: unknown, max: number): boolean =>
    typeof degrees === 'number' && Math.abs(degrees) <= max;
  return (
    isWithin(west, 180) &&
    isWithin(east, 180) &&
    isWithin(south, 90) &&
    isWithin(north, 90) &&
    (south as number) <= (north as number)
  );
}

/** Checks a filter, and returns the function that decides. */
export function compileFilter(given: StreamFilter, limits: FilterLimits): Matches {
  const { sample, track, follow, locations } = resolveOptions('filter', given, FILTER_RULES);
  checkLimit('track', track.length, limits.maxTrack);
  checkLimit('follow', follow.length, limits.maxFollow);
  checkLimit('locations', locations.length, limits.maxLocations);
  const phrases = track.map((phrase) => [...wordsOf(phrase)]);
  const users = new Set(follow);
  const isFiltered = phrases.length + users.size + locations.length > 0;
  const limit = sample * 2 ** 32;

  const fits = (entry: Entry): boolean => {
    if (!isFiltered || users.has(entry.user)) return true;
    // A deletion of a message that is no longer known may concern any reader that looks at texts or places.
    if (entry.message === undefined) return phrases.length + locations.length > 0;
    if (phrases.some((words) => words.every((word) => entry.words.has(word)))) return true;
    const { location } = entry.message;
    return location !== undefined && locations.some((box) => isIn(location, box));
  };
  return (entry) => (sample === 1 || hashOf(entry.id) < limit) && fits(entry);
}

function isIn({ latitude, longitude }: { latitude: number; longitude: number }, box: GeoBox): boolean {
  if (latitude < box.south || latitude > box.north) return false;
  return box.west <= box.east
    ? longitude >= box.west && longitude <= box.east
    : longitude >= box.west || longitude <= box.east;
}

function checkLimit(name: string, count: number, max: number): void {
  if (count <= max) return;
  throw new KitError('OPTION', `filter: \`${name}\` has ${count} entries, and at most ${max} are allowed`);
}

/** FNV-1a with a final mix, as a number below 2^32. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

const PARAMETERS = ['sample', 'track', 'follow', 'locations', 'after'];

/** The filter in the query of a request: `?track=redis,node js&follow=ann&locations=-122.75,36.8,-121.75,37.8&sample=0.1`. */
export function filterIn(query: URLSearchParams): StreamFilter {
  for (const name of query.keys()) {
    if (!PARAMETERS.includes(name)) {
      throw new KitError(
        'OPTION',
        `filter: there is no parameter ${shown(name)}: use ${PARAMETERS.join(', ')}`,
      );
    }
  }
  const listIn = (name: string): string[] =>
    query
      .getAll(name)
      .join(',')
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
  const sample = query.get('sample');
  return {
    ...(sample === null ? {} : { sample: sample.trim() === '' ? Number.NaN : Number(sample) }),
    track: listIn('track'),
    follow: listIn('follow'),
    locations: boxesIn(listIn('locations')),
  };
}

/** West, south, east and north of each box. */
function boxesIn(parts: readonly string[]): GeoBox[] {
  const numbers = parts.map(Number);
  if (numbers.length % 4 !== 0 || numbers.some(Number.isNaN)) {
    throw new KitError(
      'OPTION',
      'filter: `locations` has four numbers for each box: west, south, east, north',
    );
  }
  const boxes: GeoBox[] = [];
  for (let at = 0; at < numbers.length; at += 4) {
    const [west, south, east, north] = numbers.slice(at, at + 4) as [number, number, number, number];
    boxes.push({ west, south, east, north });
  }
  return boxes;
}
