import { KitError, shown } from '../foundation/index.js';
import type { MergeSource, SourcePage } from './merge.js';
import type { ShardedStore } from './sharded-commands.js';

/** An entry of a timeline. */
export interface TimelineEntry {
  readonly timeline: string;
  readonly member: string;
  readonly score: number;
}

/** Highest score first; of equal scores the member that is greater as bytes, as ZRANGE with REV has them. */
export function newestFirst(a: TimelineEntry, b: TimelineEntry): number {
  return b.score - a.score || Buffer.compare(Buffer.from(b.member), Buffer.from(a.member));
}

/**
 * A sorted set as a source, from the highest score down. A page begins after a score and a member, not after a number of entries: so
 * entries that are added or removed meanwhile shift nothing, and any number of entries may have the same score.
 */
export function timelineSource(store: ShardedStore, key: string): MergeSource<TimelineEntry> {
  return {
    name: key,
    placeAfter: placeOf,
    page: async (after, limit) => {
      if (after === undefined) return pageOf(await entriesFrom(store, key, '+inf', limit), limit);
      const [score, member] = parsePlace(after);
      const last = { timeline: key, member, score };
      for (let count = limit + 1; ; count *= 2) {
        const entries = await entriesFrom(store, key, bound(score), count);
        const later = entries.filter((entry) => newestFirst(last, entry) < 0);
        if (later.length >= limit || entries.length < count) return pageOf(later, limit);
      }
    },
  };
}

async function entriesFrom(
  store: ShardedStore,
  key: string,
  max: string,
  count: number,
): Promise<TimelineEntry[]> {
  const found = await store.zrange(key, max, '-inf', {
    byScore: true,
    rev: true,
    limit: { offset: 0, count },
    withScores: true,
  });
  return found.map(({ member, score }) => ({ timeline: key, member, score }));
}

function placeOf({ score, member }: TimelineEntry): string {
  return JSON.stringify([String(score), member]);
}

function pageOf(entries: readonly TimelineEntry[], limit: number): SourcePage<TimelineEntry> {
  const items = entries.slice(0, limit);
  const last = items.at(-1);
  return { items, next: items.length < limit || last === undefined ? undefined : placeOf(last) };
}

function bound(score: number): string {
  if (score === Number.POSITIVE_INFINITY) return '+inf';
  return score === Number.NEGATIVE_INFINITY ? '-inf' : String(score);
}

function parsePlace(after: string): [number, string] {
  const [score, member] = JSON.parse(after) as [unknown, unknown];
  if (!Number.isNaN(Number(score)) && typeof member === 'string') return [Number(score), member];
  throw new KitError('OPTION', `a cursor is the \`next\` of the page before, not ${shown(after)}`);
}
