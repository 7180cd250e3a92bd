import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { arcsine, cosine, sine } from './trigonometry.js';

describe('trigonometry', () => {
  it('returns the nearest double where the built-in functions are wrong in the last place', () => {
    // The results of the C library.
    assert.equal(sine(0.7838356738285861), 0.706001071510672);
    assert.equal(cosine(0.5110239553013449), 0.8722441785236743);
    assert.equal(arcsine(0.5788932886213612), 0.6173707792918951);
    assert.equal(sine(Math.PI), 1.2246467991473532e-16);
    assert.equal(arcsine(1e-9), 1e-9);
  });

  it('stays within one place of the built-in functions', () => {
    const near = (actual: number, expected: number): boolean =>
      Math.abs(actual - expected) <= Math.abs(expected) * 2 ** -51;
    const angle = fc.double({ min: -3, max: 3, noNaN: true });
    fc.assert(fc.property(angle, (x) => near(sine(x), Math.sin(x))));
    fc.assert(fc.property(angle, (x) => near(cosine(x / 2), Math.cos(x / 2))));
    fc.assert(fc.property(angle, (x) => near(arcsine(x / 3), Math.asin(x / 3))));
  });

  it('obeys the laws of circles to the last place', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.01, max: 1.5, noNaN: true }), (x) => {
        const sum = sine(x) ** 2 + cosine(x) ** 2;
        assert.ok(Math.abs(sum - 1) <= 2 ** -52, String(sum));
        assert.equal(sine(-x), -sine(x));
        assert.equal(cosine(-x), cosine(x));
      }),
    );
  });

  it('handles the ends of the range and values beyond', () => {
    assert.equal(sine(0), 0);
    assert.equal(cosine(0), 1);
    assert.equal(arcsine(0), 0);
    assert.equal(arcsine(1), Math.PI / 2);
    assert.ok(Number.isNaN(arcsine(1.5)));
    assert.ok(Number.isNaN(cosine(Number.POSITIVE_INFINITY)));
    assert.equal(sine(100), Math.sin(100));
  });
});
