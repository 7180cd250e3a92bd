import { integer, KitError, optional, resolverOf, text } from '../foundation/index.js';
import type { Core } from './core.js';
import { statusPlaceOf } from './names.js';
import type { Status } from './social-network.js';

export interface PageOptions {
  /** Max number of results. Default 30. */
  readonly count?: number;
  /** `next` of the page before. Default: the first page. */
  readonly after?: string;
}

/** Statuses, newest first. */
export interface StatusPage<Data = unknown> {
  readonly statuses: readonly Status<Data>[];
  /** For the option `after` of the next page; undefined if this is the last one. */
  readonly next: string | undefined;
}

/** Users, the latest relation first. */
export interface UserPage {
  readonly users: readonly string[];
  readonly next: string | undefined;
}

const PAGE_RULES = { count: integer(30, { min: 1, max: 1_000 }), after: optional(text()) };

export const pageOf = resolverOf<typeof PAGE_RULES, PageOptions>('socialNetwork', PAGE_RULES);

type Page = ReturnType<typeof pageOf>;

/** Reads pages. A page begins exactly after the last entry of the page before, also if that is gone or others have its score. */
export class Reading {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Statuses by their ids; undefined for those that were deleted. In a Cluster they come from many servers. */
  async statuses(ids: readonly string[]): Promise<(Status | undefined)[]> {
    const places = ids.map(statusPlaceOf);
    const replies = await this.#core.store.pipeline((batch) =>
      places.flatMap(({ author, number }) => {
        const { status, likes } = this.#core.keysOf(author);
        return [
          batch.hmget(`${status}:${number}`, 'text', 'data', 'posted'),
          batch.zcard(`${likes}:${number}`),
        ];
      }),
    );
    return places.map(({ author }, index) => {
      const [text, data, posted] = replies[2 * index] as (string | null)[];
      if (text === null || text === undefined) return undefined;
      return {
        id: ids[index] as string,
        author,
        text,
        data: data === '' ? undefined : JSON.parse(data as string),
        postedAt: new Date(Number(posted)),
        likes: replies[2 * index + 1] as number,
      };
    });
  }

  /**
   * A page of a timeline, or of the profile of an author. Statuses that were deleted a moment ago are skipped.
   */
  async timeline(set: string, { count, after }: Page, author?: string): Promise<StatusPage> {
    const statuses: Status[] = [];
    let next = after;
    while (statuses.length < count) {
      const score = next === undefined ? '' : statusPlaceOf(next).number;
      const member = author === undefined ? (next ?? '') : score;
      const missing = count - statuses.length;
      const found = await this.#core.scripts.range({ set, score, member, count: missing, order: 'down' });
      const members = found.filter((_, index) => index % 2 === 0);
      const ids = author === undefined ? members : members.map((number) => `${author}/${number}`);
      if (ids.length > 0) {
        for (const status of await this.statuses(ids)) if (status !== undefined) statuses.push(status);
      }
      if (ids.length < missing) return { statuses, next: undefined };
      next = ids.at(-1);
    }
    return { statuses, next };
  }

  /** A page of users. */
  async users(set: string, { count, after }: Page): Promise<UserPage> {
    const [, score = '', member = ''] = /^(\d+) (.+)$/s.exec(after ?? '') ?? [];
    if (after !== undefined && score === '') {
      throw new KitError(
        'OPTION',
        `socialNetwork: \`after\` must be \`next\` of the page before, not '${after}'`,
      );
    }
    const found = await this.#core.scripts.range({ set, score, member, count, order: 'down' });
    const users = found.filter((_, index) => index % 2 === 0);
    const next = users.length < count ? undefined : `${found.at(-1)} ${found.at(-2)}`;
    return { users, next };
  }

  /** The members that two sets of users have in common: the smaller one is read in parts, and looked up in the other. */
  async common(one: string, other: string, limit: number): Promise<string[]> {
    const { store, scripts } = this.#core;
    const [size = 0, otherSize = 0] = await store.pipeline((batch) => [batch.zcard(one), batch.zcard(other)]);
    const [small, large] = size <= otherSize ? [one, other] : [other, one];
    const common: string[] = [];
    let [score, member] = ['', ''];
    for (;;) {
      const part = await scripts.range({ set: small, score, member, count: USERS_AT_ONCE, order: 'down' });
      const users = part.filter((_, index) => index % 2 === 0);
      if (users.length === 0) return common;
      const scores = (await store.send('ZMSCORE', large, ...users)) as unknown[];
      for (const [index, user] of users.entries()) {
        if (scores[index] === null) continue;
        common.push(user);
        if (common.length === limit) return common;
      }
      [score, member] = [part.at(-1) as string, part.at(-2) as string];
    }
  }
}

const USERS_AT_ONCE = 1_000;
