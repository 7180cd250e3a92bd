import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { cellsCovering, distanceBetween, distanceWithin, type GeoArea } from './geo-area.js';
import {
  exactScoreOf,
  firstScore,
  geohashText,
  LATITUDE_LIMIT,
  Position,
  scoreBehind,
  scoreOf,
} from './geohash.js';

const longitude = fc.double({ min: -180, max: 180, noNaN: true });
const latitude = fc.double({ min: -LATITUDE_LIMIT, max: LATITUDE_LIMIT, noNaN: true });

describe('geohash', () => {
  it('converts positions to scores of 52 bits and back', () => {
    assert.equal(scoreOf(13.361389, 38.115556), 3479099956230698);
    const palermo = new Position().decode(3479099956230698);
    assert.deepEqual([palermo.longitude, palermo.latitude], [13.361389338970184, 38.1155563954963]);
    assert.equal(geohashText(palermo), 'sqc8b49rny0');
  });

  it('decodes to a position less than a metre away', () => {
    fc.assert(
      fc.property(longitude, latitude, (x, y) => {
        const back = new Position().decode(scoreOf(x, y));
        assert.ok(distanceBetween(x, y, back.longitude, back.latitude) < 1);
      }),
    );
  });

  it('keeps all bits of a score on the limits of the map', () => {
    assert.equal(Number(exactScoreOf(180, LATITUDE_LIMIT)), scoreOf(180, LATITUDE_LIMIT));
    assert.equal(exactScoreOf(180, LATITUDE_LIMIT), (1n << 53n) + (1n << 52n));
    assert.equal(exactScoreOf(13.361389, 38.115556), 3479099956230698n);
  });
});

describe('areas', () => {
  it('are covered by their cells', () => {
    const radius = fc.double({ min: 0.1, max: 500_000, noNaN: true });
    const inner = fc.double({ min: -60, max: 60, noNaN: true });
    const near = fc.double({ min: -1, max: 1, noNaN: true });
    fc.assert(
      fc.property(inner, inner, radius, near, near, (x, y, length, dx, dy) => {
        const area: GeoArea = { kind: 'circle', centre: new Position().set(x, y), radius: length };
        const degrees = length / 111_000;
        const score = scoreOf(x + dx * degrees, y + dy * degrees);
        if (distanceWithin(area, new Position().decode(score)) < 0) return;
        const cells = cellsCovering(area);
        assert.ok(cells.length <= 9);
        assert.ok(cells.some((cell) => firstScore(cell) <= score && score < scoreBehind(cell)));
      }),
    );
  });

  it('measure distances from their centre', () => {
    const centre = new Position().set(15, 37);
    const catania = new Position().set(15.087269, 37.502669);
    assert.ok(distanceWithin({ kind: 'circle', centre, radius: 50_000 }, catania) < 0);
    assert.equal(Math.round(distanceWithin({ kind: 'circle', centre, radius: 60_000 }, catania)), 56_441);
    assert.ok(distanceWithin({ kind: 'box', centre, width: 1e6, height: 100_000 }, catania) < 0);
    assert.equal(
      Math.round(distanceWithin({ kind: 'box', centre, width: 20_000, height: 120_000 }, catania)),
      56_441,
    );
  });
});
