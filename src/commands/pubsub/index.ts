import { family } from '../table.js';
import { pubsubHandlers } from './introspection.js';
import { publish, spublish } from './publish.js';
import { rows } from './rows.js';
import { psubscribe, punsubscribe, ssubscribe, subscribe, sunsubscribe, unsubscribe } from './subscribe.js';

export const pubsub = family(rows, {
  psubscribe,
  publish,
  pubsub: pubsubHandlers,
  punsubscribe,
  spublish,
  ssubscribe,
  subscribe,
  sunsubscribe,
  unsubscribe,
});
