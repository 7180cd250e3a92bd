import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runLabCommand } from '../../src/cli/lab.js';
import type { LabUpdate } from '../../src/console/labs/lab.js';
import { LABS, parseValues, runLab } from '../../src/console/labs/labs.js';
import { open } from '../../src/store/index.js';

/** Values that make each experiment short. */
const SHORT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  locks: { clients: '1,2', seconds: '0.02' },
  market: { sellers: '2', buyers: '2', seconds: '0.02' },
  autocomplete: { clients: '1,2', seconds: '0.02', names: '100' },
  pipelines: { latency: '0,2', seconds: '0.05' },
  packed: { lengths: '1,50', seconds: '0.01' },
  sharded: { elements: '200' },
  snapshot: { keys: '500', bytes: '10' },
};

describe('An experiment', () => {
  for (const lab of LABS) {
    it(`${lab.name}: measures every contender, and tells how far it is`, async () => {
      const updates: LabUpdate[] = [];
      const inputs = SHORT[lab.name] ?? {};
      const { signal } = new AbortController();
      for await (const update of runLab({ lab, inputs, store: undefined, signal })) updates.push(update);
      const shares = updates.map(({ share }) => share);
      assert.deepEqual(
        shares,
        [...shares].sort((a, b) => a - b),
      );
      assert.equal(shares.at(-1), 1);
      const { charts, tables } = updates.at(-1)?.result ?? { charts: [], tables: [] };
      for (const { rows } of tables) assert.ok(rows.every(([, first]) => first !== '0'));
      assert.ok(charts.length > 0);
      for (const { positions, series } of charts) {
        for (const { label, kind, values } of series) {
          assert.equal(values.length, positions.length);
          if (kind === 'published') continue;
          // In the shortest time, a buyer may not find an item.
          const min = lab.name === 'market' ? 0 : Number.MIN_VALUE;
          assert.ok(
            values.every((value) => typeof value === 'number' && value >= min),
            `${label} is measured`,
          );
        }
      }
    });
  }

  it('leaves no key behind on a store that it was given, also if it is stopped', async () => {
    await using store = await open();
    await store.set('own', 'stays');
    const stopping = new AbortController();
    const [lab] = LABS.filter(({ name }) => name === 'market');
    assert.ok(lab !== undefined);
    const run = runLab({ lab, inputs: SHORT['market'] ?? {}, store, signal: stopping.signal });
    await assert.rejects(
      (async () => {
        for await (const { share } of run) {
          if (share > 0.5) stopping.abort(new Error('stopped'));
        }
      })(),
      /stopped/,
    );
    assert.deepEqual(await store.send('KEYS', '*'), ['own']);
  });

  it('takes only values within its limits', () => {
    const parameter = { name: 'clients', label: '', values: [1], min: 1, max: 10, isWhole: true };
    assert.deepEqual(parseValues(parameter, ' '), [1]);
    assert.deepEqual(parseValues({ ...parameter, isList: true }, '1, 5,10'), [1, 5, 10]);
    for (const text of ['0', '11', '1.5', 'many', '1,2', '1,']) {
      assert.throws(() => parseValues(parameter, text), /clients must be a whole number from 1 to 10/);
    }
  });
});

describe('sorrel lab', () => {
  it('lists the experiments, and plots one', async () => {
    const lines: string[] = [];
    await runLabCommand([], (line) => void lines.push(line));
    for (const { name } of LABS) assert.ok(lines.some((line) => line.includes(name)));
    lines.length = 0;
    await runLabCommand(['sharded', '--elements', '100,200'], (line) => void lines.push(line));
    const text = lines.join('\n');
    assert.match(text, /Set: memory \(bytes per element\)/);
    assert.match(text, /published, visitor +8 +8/);
    assert.match(text, /● one set {3}○ sharded set/);
  });

  it('says what is wrong', async () => {
    await assert.rejects(
      runLabCommand(['no-such-lab']),
      /there is no lab 'no-such-lab': there are locks, market/,
    );
    await assert.rejects(
      runLabCommand(['sharded', 'redis://x']),
      /brings its own engine and takes no address/,
    );
    await assert.rejects(
      runLabCommand(['locks', '--clients', '0']),
      /clients must be up to 20 whole numbers/,
    );
    await assert.rejects(runLabCommand(['locks', '--colour', 'red']), /--colour/);
  });
});
