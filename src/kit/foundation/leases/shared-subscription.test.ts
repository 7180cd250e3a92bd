import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type DefaultShape, open, type Store, type Subscription } from '../../../store/index.js';
import { SharedSubscription } from './shared-subscription.js';

/** What the owner was told, in order. */
function recorded(
  store: Store,
  onEnded = () => {},
): { readonly shared: SharedSubscription; readonly told: string[] } {
  const told: string[] = [];
  const shared = new SharedSubscription(store, 'news', {
    confirmed: () => told.push('confirmed'),
    received: (message) => told.push(message),
    stopped: () => told.push('stopped'),
    ended: () => {
      told.push('ended');
      onEnded();
    },
  });
  return { shared, told };
}

describe('A shared subscription', () => {
  it('is opened once, delivers messages, and can be opened again', async () => {
    const store = await open();
    const { shared, told } = recorded(store);
    assert.equal(shared.open(), shared.open());
    await shared.open();
    assert.equal(shared.isConfirmed, true);
    await store.publish('news', 'first');
    await shared.close();
    assert.equal(shared.isWanted, false);
    await shared.open();
    await store.close();
    assert.deepEqual(told.slice(0, 3), ['confirmed', 'first', 'stopped']);
  });

  it('that the store ends tells so; one that its owner closes has only stopped', async () => {
    const store = await open();
    let onEnded = (): void => {};
    const hasEnded = new Promise<void>((resolve) => {
      onEnded = resolve;
    });
    const { shared, told } = recorded(store, () => onEnded());
    await shared.open();
    await shared.close();
    assert.deepEqual(told, ['confirmed', 'stopped']);
    await shared.open();
    await store.close();
    await hasEnded;
    assert.deepEqual(told.slice(2), ['confirmed', 'stopped', 'ended']);
  });

  it('is not confirmed if it was closed while it was being opened', async () => {
    let resolve: (subscription: Subscription<DefaultShape>) => void = () => {};
    const opening = new Promise<Subscription<DefaultShape>>((found) => {
      resolve = found;
    });
    let isClosed = false;
    const close = async (): Promise<void> => {
      isClosed = true;
    };
    const subscription = { close } as Subscription<DefaultShape>;
    const { shared, told } = recorded({ subscribe: () => opening } as unknown as Store);
    void shared.open();
    const closing = shared.close();
    resolve(subscription);
    await closing;
    assert.equal(isClosed, true);
    assert.equal(shared.isConfirmed, false);
    assert.deepEqual(told, ['stopped']);
  });
});
