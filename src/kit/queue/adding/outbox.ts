import { isOutage } from '../../foundation/index.js';
import { keyList, keysOf, type QueueScripts } from '../lua/scripts.js';
import { DEFAULT_KEEP_DEAD } from '../options.js';
import type { QueueAddress } from './flow-entries.js';

/** A message to another queue, as outbox.lua writes it: tasks to add, or a child that is done. */
type Message =
  | { readonly to: QueueAddress; readonly add: readonly (string | object)[]; readonly parent: object }
  | {
      readonly to: QueueAddress;
      readonly add?: undefined;
      readonly parent: string;
      readonly child: string;
      readonly result?: string;
      /** The child is dead: its error as JSON, and what becomes of the parent. */
      readonly problem?: string;
      readonly fate?: string;
    };

/** When a message is due again, if the process that collected it has not delivered it, in ms. */
const AGAIN_MS = 5_000;
const MAX_COLLECTED = 20;

/**
 * Delivers the messages of a queue to other queues of the store, and those that these cause (see outbox.lua). Can be called by
 * any number of processes at once, and ends without harm at any point: a message that was not acknowledged is
 * delivered again. One that its queue refuses does not keep the others; then this rejects in the end.
 */
export async function deliver(scripts: QueueScripts, keys: readonly string[]): Promise<void> {
  const targets = new Map<string, readonly string[]>();
  let refusal: unknown;
  for (;;) {
    const found = (await scripts.collect({ keys, again: AGAIN_MS, limit: MAX_COLLECTED })) as string[];
    for (let i = 0; i < found.length; i += 2) {
      const [number = '', text = ''] = found.slice(i, i + 2);
      if (text !== '') {
        const message = JSON.parse(text) as Message;
        const target = keyList(keysOf(message.to.p, message.to.n));
        if (message.add !== undefined || message.fate !== undefined) targets.set(String(target[0]), target);
        try {
          await hand(scripts, target, message);
        } catch (error) {
          if (isOutage(error)) throw error;
          refusal ??= error;
          continue;
        }
      }
      await scripts.delivered({ keys, numbers: [number] });
    }
    if (found.length < MAX_COLLECTED * 2) break;
  }
  // Tasks of other queues can have children in further ones, and parents that are dead now.
  for (const target of targets.values()) await deliver(scripts, target);
  if (refusal !== undefined) throw refusal;
}

async function hand(scripts: QueueScripts, keys: readonly string[], message: Message): Promise<void> {
  // Older programs do not say how many dead tasks their queue keeps.
  const { b: bound, d: keepDead = DEFAULT_KEEP_DEAD } = message.to;
  if (message.add === undefined) {
    const { parent, child, result = '', problem = '', fate = '' } = message;
    await scripts.arrive({ keys, parent, child, result, problem, fate, keepDead, bound });
    return;
  }
  const parent = JSON.stringify(message.parent);
  const entries = message.add.map((part) => (typeof part === 'string' ? part : JSON.stringify(part)));
  await scripts.add({ keys, call: '', sender: '', bound, renews: '1', keepDead, parent, entries });
}
