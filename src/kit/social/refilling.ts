import type { Core } from './core.js';
import { feedOf } from './names.js';
import type { Relations } from './relations.js';
import type { Cursor, Guard } from './unfinished.js';

/** Users whose statuses are read together. */
const SOURCES_AT_ONCE = 50;
/** A timeline can become short again while it is filled. */
const MAX_ROUNDS = 10;

/** Fills the timeline of a feed with the newest statuses of all users that it follows. */
export async function refill(
  core: Core,
  relations: Relations,
  from: { readonly feed: string; readonly after: Cursor },
  guard: Guard,
  onPass: (after: Cursor) => Promise<void>,
): Promise<void> {
  const feed = feedOf(from.feed);
  const { sources: set, floor } = core.feedKeys(feed);
  let { after } = from;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    // Without a floor, statuses that had no room before are taken in again.
    if (after === null) await core.store.del(floor);
    for (;;) {
      const [score, member] = after ?? ['', ''];
      const found = await core.scripts.range({ set, score, member, count: SOURCES_AT_ONCE, order: 'up' });
      const sources = found.filter((_, index) => index % 2 === 0);
      await Promise.all(sources.map((source) => relations.settle(feed, source, guard)));
      if (sources.length < SOURCES_AT_ONCE) break;
      after = [found.at(-1) as string, found.at(-2) as string];
      await onPass(after);
    }
    after = null;
    if (!(await relations.isShort(feed))) return;
  }
}
