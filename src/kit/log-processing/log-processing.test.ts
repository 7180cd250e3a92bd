import assert from 'node:assert/strict';
import {
  appendFileSync,
  copyFileSync,
  mkdtempSync,
  renameSync,
  rmSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { open, type Store, StoreError } from '../../store/index.js';
import { type LineHandler, type LogProcessor, logProcessor } from './index.js';

const root = mkdtempSync(join(tmpdir(), 'sorrel-logs-'));
after(() => rmSync(root, { recursive: true, force: true }));

class Folder {
  readonly path = mkdtempSync(join(root, 'f-'));
  append(name: string, ...lines: string[]): void {
    appendFileSync(join(this.path, name), lines.map((line) => `${line}\n`).join(''));
  }
  write(name: string, text: string | Buffer): void {
    writeFileSync(join(this.path, name), text);
  }
  rename(from: string, to: string): void {
    renameSync(join(this.path, from), join(this.path, to));
  }
  at(name: string): string {
    return join(this.path, name);
  }
}

/** Counts how often each line was seen. */
const perLine: LineHandler = (line, tally) => tally.count('seen', line);

async function seen(logs: LogProcessor): Promise<Record<string, number>> {
  return Object.fromEntries(await logs.counts('seen'));
}

describe('A log processor', () => {
  it('counts lines, and goes on where it ended', async () => {
    await using store = await open();
    const folder = new Folder();
    folder.append('web.log', 'GET /a ann', 'GET /b bob', 'GET /a ann');
    const handler: LineHandler = (line, tally, { file, offset }) => {
      const [, page = '', user = ''] = line.split(' ');
      tally.count('pages', page);
      tally.rank('users', user, 0.5);
      tally.unique('visitors', user);
      tally.send('RPUSH', tally.key('places'), `${file} ${offset}`);
    };
    const logs = logProcessor(store, 'web', { folder: folder.path });
    assert.deepEqual(await logs.process(handler), { lines: 3, batches: 1 });
    folder.append('web.log', 'GET /b cem');
    // Another process, after a restart.
    const again = logProcessor(store, 'web', { folder: folder.path });
    assert.deepEqual(await again.process(handler), { lines: 1, batches: 1 });
    assert.deepEqual(await again.process(handler), { lines: 0, batches: 0 });
    assert.deepEqual(Object.fromEntries(await logs.counts('pages')), { '/a': 2, '/b': 2 });
    assert.deepEqual(await logs.top('users', 1), [{ member: 'ann', score: 1 }]);
    assert.equal(await logs.distinct('visitors'), 3);
    assert.deepEqual(await store.lrange('logs:{web}:own:places', 0, -1), [
      'web.log 0',
      'web.log 11',
      'web.log 22',
      'web.log 33',
    ]);
    assert.deepEqual(await logs.status(), [{ file: 'web.log', offset: 44 }]);
    await logs.clear();
    assert.equal(await store.send('DBSIZE'), 0);
  });

  it('follows a file that is renamed, and reads the new one', async () => {
    await using store = await open();
    const folder = new Folder();
    const logs = logProcessor(store, 'web', { folder: folder.path, batch: 2 });
    folder.append('web.log', '1', '2', '3');
    await logs.process(perLine);
    folder.append('web.log', '4');
    folder.rename('web.log', 'web.log.1');
    folder.append('web.log', '5');
    await logs.process(perLine);
    folder.append('web.log.1', '6: written by a process that has not noticed yet');
    folder.rename('web.log.1', 'web.log.2');
    folder.rename('web.log', 'web.log.1');
    folder.append('web.log', '7');
    await logs.process(perLine);
    assert.deepEqual(Object.values(await seen(logs)), [1, 1, 1, 1, 1, 1, 1]);
  });

  it('reads files in the order in which they were written', async () => {
    await using store = await open();
    const folder = new Folder();
    for (const [index, name] of ['b.log', 'a.log', 'c.log'].entries()) {
      folder.append(name, `${index}`);
      utimesSync(folder.at(name), 1_000 + index, 1_000 + index);
    }
    folder.append('other.txt', 'not matched');
    const order: string[] = [];
    await logProcessor(store, 'x', { folder: folder.path }).process((line) => void order.push(line));
    assert.deepEqual(order, ['0', '1', '2']);
  });

  it('leaves a line that has no line feed yet, until the file is an old one', async () => {
    await using store = await open();
    const folder = new Folder();
    const logs = logProcessor(store, 'web', { folder: folder.path });
    folder.write('web.log', 'whole\r\nhal');
    await logs.process(perLine);
    assert.deepEqual(await seen(logs), { whole: 1 });
    appendFileSync(folder.at('web.log'), 'f\nlast');
    await logs.process(perLine);
    assert.deepEqual(await seen(logs), { whole: 1, half: 1 });
    folder.append('new.log', 'new');
    await logs.process(perLine);
    assert.deepEqual(await seen(logs), { whole: 1, half: 1, new: 1 }, 'it may still be written');
    utimesSync(folder.at('web.log'), Date.now() / 1000 - 100, Date.now() / 1000 - 100);
    await logs.process(perLine);
    await logs.process(perLine);
    assert.deepEqual(await seen(logs), { whole: 1, half: 1, new: 1, last: 1 });
  });

  it('reads empty lines, and cuts lines of more than a megabyte', async () => {
    await using store = await open();
    const folder = new Folder();
    folder.append('web.log', '', 'x'.repeat(2_500_000), 'after', '');
    const lengths: number[] = [];
    const logs = logProcessor(store, 'web', { folder: folder.path });
    await logs.process((line) => void lengths.push(line.length));
    assert.deepEqual(lengths, [0, 1_048_576, 5, 0]);
    assert.equal((await logs.status())[0]?.offset, 2_500_000 + 9);
  });

  it('goes on in the copy of a file that was copied and truncated', async () => {
    await using store = await open();
    const folder = new Folder();
    const logs = logProcessor(store, 'web', { folder: folder.path });
    const lines = Array.from({ length: 300 }, (_, i) => `line ${i}`);
    folder.append('web.log', ...lines);
    await logs.process(perLine);
    folder.append('web.log', 'between');
    copyFileSync(folder.at('web.log'), folder.at('web.log.1'));
    truncateSync(folder.at('web.log'));
    folder.append('web.log', 'after');
    await logs.process(perLine);
    await logs.process(perLine);
    const counts = await seen(logs);
    assert.equal(Object.keys(counts).length, 302);
    assert.ok(Object.values(counts).every((count) => count === 1));
  });

  it('reads a new file from its beginning, also if it has the number of a deleted one', async () => {
    await using store = await open();
    const folder = new Folder();
    const logs = logProcessor(store, 'web', { folder: folder.path });
    for (let day = 0; day < 5; day++) {
      folder.append('web.log', `day ${day}`, 'more', 'and more');
      await logs.process(perLine);
      unlinkSync(folder.at('web.log'));
    }
    assert.deepEqual(await seen(logs), {
      'day 0': 1,
      'day 1': 1,
      'day 2': 1,
      'day 3': 1,
      'day 4': 1,
      more: 5,
      'and more': 5,
    });
  });

  it('stores nothing of a batch whose handler throws, and repeats the batch', async () => {
    await using store = await open();
    const folder = new Folder();
    folder.append('web.log', '1', '2', '3', '4', '5');
    const logs = logProcessor(store, 'web', { folder: folder.path, batch: 2 });
    const failing: LineHandler = async (line, tally) => {
      tally.count('seen', line);
      if (line === '4') throw new Error('on purpose');
    };
    await assert.rejects(logs.process(failing), /on purpose/);
    assert.deepEqual(await seen(logs), { 1: 1, 2: 1 });
    await logs.process(perLine);
    assert.deepEqual(await seen(logs), { 1: 1, 2: 1, 3: 1, 4: 1, 5: 1 });
  });

  it('two readers of one name count every line once', async () => {
    await using store = await open();
    const folder = new Folder();
    folder.append('web.log', ...Array.from({ length: 500 }, (_, i) => `${i}`));
    const slowly: LineHandler = async (line, tally) => {
      if (line.endsWith('7')) await new Promise(setImmediate);
      tally.count('seen', line);
    };
    const readers = [1, 2, 3].map((i) => logProcessor(store, 'web', { folder: folder.path, batch: 7 * i }));
    await Promise.all(readers.map((logs) => logs.process(slowly)));
    const counts = await seen(readers[0] as LogProcessor);
    assert.equal(Object.keys(counts).length, 500);
    assert.ok(Object.values(counts).every((count) => count === 1));
  });

  it('an unanswered transaction that was executed is not executed again', async () => {
    await using store = await open();
    const folder = new Folder();
    folder.append('web.log', '1', '2', '3', '4');
    let isLost = true;
    const losing = losingReplies(store, () => isLost);
    const logs = logProcessor(losing, 'web', { folder: folder.path, batch: 2 });
    await assert.rejects(logs.process(perLine), { code: 'UNREACHABLE' });
    isLost = false;
    await logs.process(perLine);
    assert.deepEqual(await seen(logs), { 1: 1, 2: 1, 3: 1, 4: 1 });
  });

  it('follows until it is told to stop, and through outages', async () => {
    await using store = await open();
    const folder = new Folder();
    let isLost = true;
    const logs = logProcessor(
      losingReplies(store, () => isLost),
      'web',
      { folder: folder.path },
    );
    const controller = new AbortController();
    const errors: unknown[] = [];
    const following = logs.follow(
      (line, tally) => {
        tally.count('seen', line);
        if (line === 'last') setTimeout(() => controller.abort(), 5);
      },
      {
        signal: controller.signal,
        onError: (error) => {
          errors.push(error);
          isLost = false;
          folder.append('web.log', 'second', 'last');
        },
      },
    );
    folder.append('web.log', 'first');
    await following;
    await logs.process(perLine);
    assert.equal(errors.length, 1);
    assert.deepEqual(await seen(logs), { first: 1, second: 1, last: 1 });
  });

  it('loses and repeats nothing in any history of writing, rotating and dying', async () => {
    const step = fc.oneof(
      fc.record({ write: fc.integer({ min: 1, max: 5 }) }),
      fc.record({ part: fc.constant(true) }),
      fc.record({ rotate: fc.constant(true) }),
      fc.record({ read: fc.nat(8), batch: fc.integer({ min: 1, max: 4 }), isLost: fc.boolean() }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        await using store = await open();
        const folder = new Folder();
        let [written, rotations, isPart] = [0, 0, false];
        folder.write('web.log', '');
        for (const one of steps) {
          if ('write' in one) {
            for (let i = 0; i < one.write; i++) {
              appendFileSync(folder.at('web.log'), isPart ? ' end\n' : `${written} begin end\n`);
              isPart = false;
              written++;
            }
          } else if ('part' in one) {
            if (!isPart) appendFileSync(folder.at('web.log'), `${written} begin`);
            isPart = true;
          } else if ('rotate' in one) {
            if (isPart) continue;
            folder.rename('web.log', `web.log.${rotations++}`);
            folder.write('web.log', '');
          } else {
            // The process dies in the handler of a line, or after a transaction whose reply it does not see.
            let lines = 0;
            const dying: LineHandler = (line, tally) => {
              if (lines++ === one.read) throw new StoreError('DEAD', 'killed');
              tally.count('seen', line);
            };
            const view = losingReplies(store, () => one.isLost);
            const logs = logProcessor(view, 'web', { folder: folder.path, batch: one.batch });
            await logs
              .process(dying)
              .catch((error: StoreError) => assert.match(error.code, /DEAD|UNREACHABLE/));
          }
        }
        if (isPart) appendFileSync(folder.at('web.log'), ' end\n');
        const logs = logProcessor(store, 'web', { folder: folder.path });
        await logs.process(perLine);
        const expected = Array.from({ length: written + (isPart ? 1 : 0) }, (_, i) => [`${i} begin end`, 1]);
        assert.deepEqual(await seen(logs), Object.fromEntries(expected));
      }),
      { numRuns: 40 },
    );
  });

  it('refuses what cannot be right', async () => {
    await using store = await open();
    assert.throws(() => logProcessor(store, 'x', {} as never), /needs the option `folder`/);
    const logs = logProcessor(store, 'x', { folder: new Folder().path });
    await assert.rejects(logs.process(5 as never), { code: 'OPTION' });
    await assert.rejects(logs.top('x', 0), { code: 'OPTION' });
    const folder = new Folder();
    folder.append('a.log', 'line');
    const wrong = logProcessor(store, 'x', { folder: folder.path });
    await assert.rejects(
      wrong.process((_, tally) => tally.count('a', 'b', 0.5)),
      /takes a whole number/,
    );
    await assert.rejects(
      wrong.process((_, tally) => tally.rank('a', 5 as never)),
      /takes a string/,
    );
    const missing = logProcessor(store, 'x', { folder: join(root, 'missing') });
    await assert.rejects(missing.process(perLine), { code: 'FOLDER' });
  });
});

/** A store whose transactions are executed, but not answered while `isLost` says so. */
function losingReplies(store: Store, isLost: () => boolean): Store {
  return new Proxy(store, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (property === 'with') return (options: never) => losingReplies(target.with(options), isLost);
      if (property !== 'transaction') return typeof value === 'function' ? value.bind(target) : value;
      return async (...args: Parameters<Store['transaction']>) => {
        const result = await (target.transaction as (...args: unknown[]) => Promise<unknown>)(...args);
        if (isLost()) throw new StoreError('UNREACHABLE', 'cut', { mayHaveRun: true });
        return result;
      };
    },
  });
}
