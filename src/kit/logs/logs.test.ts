import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import pino from 'pino';
import {
  type EmbeddedStore,
  ManualClock,
  open,
  type ScriptDefinition,
  type Store,
} from '../../store/index.js';
import { type Logs, type LogsOptions, logs } from './index.js';
import { severityOf } from './severity.js';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 1);

interface Bench extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly store: EmbeddedStore;
  readonly log: Logs;
}

async function bench(options: LogsOptions = {}): Promise<Bench> {
  const clock = new ManualClock(START);
  const store = await open('memory:', { clock });
  return { clock, store, log: logs(store, options), [Symbol.asyncDispose]: () => store.close() };
}

describe('Recent messages', () => {
  it('are the last ones of their name and severity, newest first, with their time and details', async () => {
    await using on = await bench({ maxRecent: 3 });
    for (let i = 1; i <= 5; i++) {
      await on.log.write('shop', `order ${i}`, { details: { order: i } });
      on.clock.advance(1_000);
    }
    await on.log.write('shop', 'broken', { severity: 'error' });
    await on.log.write('other', 'order 9');
    assert.deepEqual(await on.log.recent('shop', { limit: 2 }), [
      { at: new Date(START + 4_000), message: 'order 5', details: { order: 5 } },
      { at: new Date(START + 3_000), message: 'order 4', details: { order: 4 } },
    ]);
    assert.equal((await on.log.recent('shop')).length, 3);
    const errors = await on.log.recent('shop', { severity: 'error' });
    assert.deepEqual([errors.length, errors[0]?.message, errors[0]?.details], [1, 'broken', undefined]);
    assert.deepEqual(await on.log.recent('unknown'), []);
  });

  it('expire a week after the last one', async () => {
    await using on = await bench();
    await on.log.write('shop', 'x');
    on.clock.advance(6 * 86_400_000);
    await on.log.write('shop', 'y');
    on.clock.advance(6 * 86_400_000);
    assert.equal((await on.log.recent('shop')).length, 2);
    on.clock.advance(86_400_001);
    assert.deepEqual(await on.store.send('KEYS', '*'), []);
  });

  it('are cut off where they are too long, between characters', async () => {
    await using on = await bench({ maxLength: 4 });
    await on.log.write('shop', 'abc😀def');
    await on.log.write('shop', 'abcd', { details: 'x'.repeat(100) });
    const [second, first] = await on.log.recent('shop');
    assert.equal(first?.message, 'abc…');
    assert.equal(second?.message, 'abcd');
    assert.deepEqual(second?.details, { leftOut: '102 characters of details' });
  });
});

describe('Common messages', () => {
  it('are counted in the current hour and kept for the next one', async () => {
    await using on = await bench();
    on.clock.advance(HOUR - 1);
    for (const message of ['a', 'b', 'b']) await on.log.write('shop', message);
    assert.deepEqual(await on.log.common('shop'), [
      { message: 'b', count: 2 },
      { message: 'a', count: 1 },
    ]);
    on.clock.advance(1);
    assert.deepEqual(await on.log.common('shop'), [], 'a new hour has begun, although nothing was written');
    await on.log.write('shop', 'a');
    assert.deepEqual(await on.log.common('shop'), [{ message: 'a', count: 1 }]);
    assert.equal((await on.log.common('shop', { ago: 1 })).length, 2);
    on.clock.advance(HOUR);
    assert.deepEqual(await on.log.common('shop', { ago: 1 }), [{ message: 'a', count: 1 }]);
    on.clock.advance(HOUR + 1);
    assert.deepEqual(await on.store.send('KEYS', 'log:*common*'), []);
  });

  it('are limited in number; a message that is really common is never missing', async () => {
    await using on = await bench({ maxMessages: 10 });
    for (let i = 0; i < 300; i++) {
      await on.log.write('shop', `user ${i} logged in`);
      if (i % 3 === 0) await on.log.write('shop', 'disk full');
    }
    const common = await on.log.common('shop');
    assert.equal(common.length, 10);
    assert.equal(common[0]?.message, 'disk full');
    assert.ok(common[0].count >= 100, `${common[0].count}`);
    const total = common.reduce((sum, { count }) => sum + count, 0);
    assert.equal(total, 400, 'every message is counted for one or another');
  });
});

describe('A log', () => {
  it('refuses unknown severities and what is no message', async () => {
    await using on = await bench();
    const wrong = on.log.write('shop', 'x', { severity: 'warn' as 'warning' });
    await assert.rejects(wrong, {
      code: 'OPTION',
      message: /must be one of debug, info, warning, error, critical/,
    });
    await assert.rejects(on.log.write('shop', 5 as never), { code: 'OPTION' });
    await assert.rejects(on.log.write('shop', 'x', { details: () => 1 }), { code: 'OPTION' });
    await assert.rejects(on.log.writeAll('shop', [{ message: 'ok' }, {} as never]), { code: 'OPTION' });
    assert.deepEqual(await on.log.recent('shop'), [], 'none of a list with a mistake is written');
  });
});

describe('A stream for pino', () => {
  it('writes what pino logs, by name and severity', async () => {
    await using on = await bench();
    const stream = on.log.stream({ name: 'shop' });
    const logger = pino({ level: 'trace' }, stream);
    logger.info({ order: 17 }, 'paid');
    logger.warn('slow');
    logger.fatal(new Error('on purpose'));
    logger.child({ name: 'mail' }).debug('sent');
    stream.end();
    await once(stream, 'finish');
    const [paid] = await on.log.recent('shop');
    assert.equal(paid?.message, 'paid');
    assert.equal((paid?.details as { order: number } | undefined)?.order, 17);
    assert.equal((await on.log.recent('shop', { severity: 'warning' }))[0]?.message, 'slow');
    const [fatal] = await on.log.recent('shop', { severity: 'critical' });
    assert.equal(fatal?.message, 'on purpose');
    assert.match(`${(fatal?.details as { err: { stack: string } } | undefined)?.err.stack}`, /logs\.test/);
    assert.equal((await on.log.recent('mail', { severity: 'debug' }))[0]?.message, 'sent');
    assert.deepEqual(await on.log.common('shop'), [{ message: 'paid', count: 1 }]);
  });

  it('takes lines that are cut anywhere, and lines that are no JSON', async () => {
    await using on = await bench();
    const stream = on.log.stream();
    const bytes = Buffer.from('{"level":30,"msg":"für"}\nplain text\n\n{"level":"warn","msg":{"a":1}}');
    for (const byte of bytes) stream.write(Buffer.from([byte]));
    stream.end();
    await once(stream, 'finish');
    assert.deepEqual(
      (await on.log.recent('app')).map(({ message }) => message),
      ['plain text', 'für'],
    );
    assert.equal((await on.log.recent('app', { severity: 'warning' }))[0]?.message, '{"a":1}');
  });

  it('writes lines that arrive during a request with the next one', async () => {
    await using on = await bench();
    const stream = on.log.stream();
    for (let i = 0; i < 500; i++) stream.write(`{"level":30,"msg":"m${i % 5}"}\n`);
    stream.end();
    await once(stream, 'finish');
    assert.equal((await on.log.common('app')).length, 5);
    const info = (await on.store.send('INFO', 'commandstats')) as string;
    assert.equal(/cmdstat_ltrim:calls=(\d+)/.exec(info)?.[1], '2');
  });

  it('drops what cannot be stored, says so, and goes on', async () => {
    await using store = await open();
    let isAway = true;
    const broken = new Proxy(store as Store, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (name !== 'script') return typeof value === 'function' ? value.bind(target) : value;
        return (definition: ScriptDefinition) => {
          const call = target.script(definition) as unknown as (inputs: object) => Promise<unknown>;
          return async (inputs: object) => {
            if (isAway) throw new Error('the server is away');
            return call(inputs);
          };
        };
      },
    });
    const lost: number[] = [];
    const log = logs(broken);
    const stream = log.stream({ onError: (_, lines) => lost.push(lines) });
    await new Promise((resolve) => stream.write('{"msg":"lost"}\n{"msg":"too"}\n', resolve));
    isAway = false;
    await new Promise((resolve) => stream.write('{"msg":"kept"}\n', resolve));
    assert.deepEqual(lost, [2]);
    assert.deepEqual(
      (await log.recent('app')).map(({ message }) => message),
      ['kept'],
    );
  });

  it('knows the levels of pino', () => {
    const levels = [10, 20, 30, 35, 40, 50, 60, 'warn', 'FATAL', 'verbose', undefined];
    assert.equal(
      levels.map(severityOf).join(' '),
      'debug debug info info warning error critical warning critical info info',
    );
  });
});
