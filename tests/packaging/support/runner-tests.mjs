/**
 * The tests that test runners run, from what their own modules call differently: how tests are declared, and fake timers.
 */
import { open } from 'sorrel';
import { components, embedded, onStore } from './features.mjs';

/** @param runner `test`, `expect` of the runner; `fake`, `real`: chooses timers; `advance`: moves fake time on by ms */
export function declareTests({ test, expect, fake, real, advance }) {
  for (const [name, feature] of Object.entries({ ...embedded, ...components })) {
    test(`${name}, real timers`, async () => expect(await onStore(feature)).toBe(feature.gives));
    test(`${name}, fake timers`, async () => {
      fake();
      try {
        expect(await onStore(feature)).toBe(feature.gives);
      } finally {
        real();
      }
    });
  }

  test('sorrel: keys expire by fake time, fake timers', async () => {
    fake();
    try {
      const store = await open();
      await store.set('key', 'value', { ex: 60 });
      const popped = store.blpop('jobs', 30);
      advance(61_000);
      expect(await store.get('key')).toBe(null);
      expect(await popped).toBe(null);
      await store.close();
    } finally {
      real();
    }
  });
}
