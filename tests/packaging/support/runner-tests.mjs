/**
 * The tests for all test runners. The functions that differ between runners are parameters: declaring tests, and fake timers.
 */
import { open } from 'sorrel';
import { components, embedded, onStore } from './features.mjs';

/** @param runner `test`, `expect` of the runner; `fake`, `real`: chooses timers; `advance`: advances the fake time by ms */
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
