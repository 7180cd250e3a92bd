import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Bytes } from '../../bytes/bytes.js';
import { ManualClock } from '../../bytes/clock.js';
import { silentSink } from '../../commands/session.js';
import { RespWriter } from '../../resp/resp-writer.js';
import { Engine } from '../engine.js';

/** An engine in which every key that vanishes takes 3 ms, and which measures from 2 ms on. */
function slowEngine(): {
  readonly engine: Engine;
  readonly clock: ManualClock;
  run(...words: string[]): void;
} {
  const clock = new ManualClock(1_700_000_000_000);
  const engine = new Engine({ clock });
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

test('what frees an expired value in several slices is one event', () => {
  const { engine, clock, run } = slowEngine();
  for (let i = 0; i < 300; i++) {
    run('SADD', 'set', ...Array.from({ length: 1000 }, (_, j) => `member:${i}:${j}`));
  }
  engine.settings.set([['latency-monitor-threshold', '20']]);
  run('PEXPIRE', 'set', '5');
  clock.advance(10);
  const event = () => engine.latencyMonitor.events.get('expire-cycle');
  for (let ticks = 0; ticks < 1000 && event() === undefined; ticks++) engine.background.tick();
  assert.ok((event()?.longest ?? 0) >= 20);
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
