import type { Store } from 'sorrel';
import { adIndex } from 'sorrel/kit/ads';
import { rateLimiter } from 'sorrel/kit/rate-limiter';
import { searchIndex } from 'sorrel/kit/search';
import { sessionCookies, sessions } from 'sorrel/kit/sessions';
import { type NetworkEvent, socialNetwork } from 'sorrel/kit/social';
import { streaming } from 'sorrel/kit/streaming';

export interface FeedOptions {
  /** Signs the cookies. All processes need the same. */
  readonly secret: string;
  /** Send cookies only over HTTPS. */
  readonly secureCookies: boolean;
}

/** What a session remembers, beside who is logged in. */
export interface Visit {
  /** Shown once, on the next page. */
  readonly notice: string | undefined;
}

/** Everything the application is made of: each part is a component of the kit on the same store. */
export function createFeed(store: Store, { secret, secureCookies }: FeedOptions) {
  const live = streaming(store, 'statuses', { keep: 10_000 });
  const statuses = searchIndex(store, 'statuses', {
    fields: { text: 'text', author: 'keyword', posted: 'number' },
  });

  /** Called at least once for each status, by this process or by the queue; each step can be repeated. */
  async function onEvent(event: NetworkEvent): Promise<void> {
    if (event.kind === 'deleted') {
      await statuses.remove(event.id);
      await live.retract(event.id, event.author);
      return;
    }
    const { id, author, text, postedAt } = event.status;
    await statuses.index(id, { text, author, posted: postedAt.getTime() });
    await live.publish({ id, user: author, text });
  }

  return {
    store,
    cookies: sessionCookies(sessions<Visit>(store), { secrets: [secret], secure: secureCookies }),
    network: socialNetwork(store, { onEvent, maxText: 280 }),
    live,
    statuses,
    ads: adIndex(store, 'feed'),
    posts: rateLimiter(store, { limit: 120, per: 60_000, burst: 60 }),
  };
}

export type Feed = ReturnType<typeof createFeed>;

/** Where all ads are shown. */
export const EVERYWHERE = 'everywhere';

const ADS = {
  tea: { text: 'Good tea for long evenings', content: 'tea evening book read', cpc: 0.5 },
  boots: { text: 'Boots for every mountain', content: 'mountain walk hike snow boots', cpc: 0.4 },
  keyboard: {
    text: 'A keyboard that sounds right',
    content: 'code redis typescript keyboard program',
    cpc: 0.6,
  },
} as const;

export type AdName = keyof typeof ADS;

/** Adding an ad again changes nothing, so every process may do it. */
export async function addAds({ ads }: Feed): Promise<void> {
  for (const [id, { content, cpc }] of Object.entries(ADS)) {
    await ads.add(id, { locations: [EVERYWHERE], content, cpc });
  }
}

export interface Placed {
  readonly target: string;
  readonly text: string;
}

/** The ad that fits these texts best. */
export async function adFor({ ads }: Feed, texts: readonly string[]): Promise<Placed | undefined> {
  const [placement] = await ads.target({ locations: [EVERYWHERE], content: texts.join(' ') });
  if (placement === undefined || !(placement.ad in ADS)) return undefined;
  return { target: placement.target, text: ADS[placement.ad as AdName].text };
}
