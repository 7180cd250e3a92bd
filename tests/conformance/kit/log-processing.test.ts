import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { type LineHandler, logProcessor } from '../../../src/kit/log-processing/index.js';
import { onEveryStore } from './support.js';

const root = mkdtempSync(join(tmpdir(), 'sorrel-log-stores-'));
after(() => rmSync(root, { recursive: true, force: true }));

const handler: LineHandler = (line, tally) => {
  tally.count('seen', line);
  tally.rank('lengths', `${line.length}`);
  tally.unique('different', line);
  tally.send('SADD', tally.key('own'), line);
};

onEveryStore('Log processing', (test) => {
  test('readers of one folder count every line once, across a rotation', async (store, {
    space,
    another,
  }) => {
    const folder = mkdtempSync(join(root, 'f-'));
    const path = join(folder, 'web.log');
    const readers = [store, await another()].map((own) => logProcessor(own, space, { folder, batch: 10 }));
    for (let part = 0; part < 3; part++) {
      const lines = Array.from({ length: 60 }, (_, i) => `línea ${part} ${i}\n`);
      appendFileSync(path, lines.join(''));
      await Promise.all(readers.map((logs) => logs.process(handler)));
      if (part === 1) renameSync(path, `${path}.1`);
    }
    const logs = readers[1] as (typeof readers)[number];
    const seen = await logs.counts('seen');
    assert.equal(seen.size, 180);
    assert.deepEqual(new Set(seen.values()), new Set([1]));
    assert.deepEqual(await logs.top('lengths', 1), [{ member: '10', score: 150 }]);
    assert.ok(Math.abs((await logs.distinct('different')) - 180) < 10);
    assert.equal((await store.smembers(`logs:{${space}}:own:own`)).length, 180);
    await logs.clear();
    assert.equal((await logs.counts('seen')).size, 0);
    assert.deepEqual(await logs.status(), []);
  });
});
