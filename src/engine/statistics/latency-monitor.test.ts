import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Bytes } from '../../bytes/bytes.js';
import { ManualClock } from '../../bytes/clock.js';
import { silentSink } from '../../commands/session.js';
import type { LatencyEvent } from '../../commands/statistics-port.js';
import { RespWriter } from '../../resp/resp-writer.js';
import { Engine } from '../engine.js';
import type { Timers } from '../timers.js';

/** An engine in which every key that vanishes takes 3 ms, and which measures from 2 ms on. */
function slowEngine(timers?: Timers): {
  readonly engine: Engine;
  readonly clock: ManualClock;
  run(...words: string[]): void;
} {
  const clock = new ManualClock(1_700_000_000_000);
  const engine = new Engine({ clock, ...(timers && { timers }) });
  engine.settings.set([['latency-monitor-threshold', '2']]);
  engine.keyspace.effects.subscribe({
    keyVanished() {
      const end = performance.now() + 3;
      while (performance.now() < end);
    },
  });
  const session = engine.openSession(silentSink);
  const writer = new RespWriter();
  const run = (...words: string[]): void => {
    engine.beginTurn();
    engine.execute(session, words.map(Bytes.of), words.length, writer);
    engine.endTurn();
    writer.reset();
  };
  return { engine, clock, run };
}

test('the deletion of expired keys between commands is the event expire-cycle', () => {
  const { engine, clock, run } = slowEngine();
  run('SET', 'key', 'value', 'PX', '5');
  clock.advance(10);
  engine.background.tick();
  const event = engine.latencyMonitor.events.get('expire-cycle');
  assert.equal(event?.samples[0]?.time, 1_700_000_000);
  assert.ok((event?.longest ?? 0) >= 3);
  engine.close();
});

/** The first slice after the expiry of a set that takes more than 20 ms to free, on a clock of its own, and the event from 20 ms on. */
function beginFreeing(): ReturnType<typeof slowEngine> & { event(): LatencyEvent | undefined } {
  let elapsed = 0;
  const opened = slowEngine({
    after: () => () => {},
    soon: () => () => {},
    elapsed: () => {
      elapsed += 0.3;
      return elapsed;
    },
  });
  const { engine, clock, run } = opened;
  for (let i = 0; i < 300; i++) {
    run('SADD', 'set', ...Array.from({ length: 1000 }, (_, j) => `member:${i}:${j}`));
  }
  engine.settings.set([['latency-monitor-threshold', '20']]);
  run('PEXPIRE', 'set', '5');
  clock.advance(10);
  engine.background.tick();
  return { ...opened, event: () => engine.latencyMonitor.events.get('expire-cycle') };
}

test('what frees an expired value in several slices is one event', () => {
  const { engine, event } = beginFreeing();
  assert.equal(event(), undefined);
  for (let ticks = 0; ticks < 1000 && event() === undefined; ticks++) engine.background.tick();
  assert.ok((event()?.longest ?? 0) >= 20);
  engine.close();
});

test('LATENCY finds the event when the key has gone, although its value is not freed yet', () => {
  const { engine, event, run } = beginFreeing();
  run('DBSIZE');
  assert.equal(event(), undefined);
  run('LATENCY', 'LATEST');
  assert.ok((event()?.longest ?? 0) >= 20);
  assert.ok(engine.keyspace.pendingReleases > 0);
  assert.ok(engine.statistics.expiringMs >= 20);
  engine.close();
});

test('an event that is reset does not come back with the rest of its work', () => {
  const { engine, event, run } = beginFreeing();
  run('LATENCY', 'RESET');
  assert.ok(engine.keyspace.pendingReleases > 0);
  while (engine.keyspace.pendingReleases > 0) engine.background.tick();
  run('LATENCY', 'LATEST');
  assert.equal(event(), undefined);
  engine.close();
});

test('the eviction of keys is the event eviction-cycle', () => {
  const { engine, run } = slowEngine();
  for (let i = 0; i < 10; i++) run('SET', `key:${i}`, 'x'.repeat(1000));
  engine.settings.set([
    ['maxmemory-policy', 'allkeys-random'],
    ['maxmemory', String(engine.usedMemory - 2000)],
  ]);
  run('GET', 'key:1');
  assert.ok((engine.latencyMonitor.events.get('eviction-cycle')?.longest ?? 0) >= 3);
  engine.close();
});

test('nothing is measured while the monitor is off', () => {
  const { engine, clock, run } = slowEngine();
  engine.settings.set([['latency-monitor-threshold', '0']]);
  run('SET', 'key', 'value', 'PX', '5');
  clock.advance(10);
  engine.background.tick();
  assert.equal(engine.latencyMonitor.start(), -1);
  assert.equal(engine.latencyMonitor.events.size, 0);
  engine.close();
});
