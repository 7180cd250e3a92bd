import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock, open, type StoreTime } from '../../../store/index.js';
import { type Alarm, Alarms } from '../index.js';

interface Bench {
  readonly time: StoreTime;
  readonly clock: ManualClock;
  readonly alarms: Alarms;
  /** The alarms that rang, and when. */
  readonly rung: string[];
  newAlarm(name: string, onRing?: () => void): Alarm;
}

async function withAlarms(test: (bench: Bench) => Promise<void>): Promise<void> {
  const clock = new ManualClock(1_000_000);
  await using store = await open('memory:', { clock });
  const { time } = store;
  const rung: string[] = [];
  const newAlarm = (name: string, onRing: () => void = () => {}): Alarm => ({
    due: 0,
    ring: () => {
      rung.push(`${name} ${time.monotonic() - 1_000_000}`);
      onRing();
    },
  });
  await test({ time, clock, alarms: Alarms.of(time), rung, newAlarm });
}

describe('Alarms', () => {
  it('ring when they are due, in order', () =>
    withAlarms(async ({ clock, alarms, rung, newAlarm }) => {
      const due = { late: 600_000, soon: 7, next: 8, same: 7, past: -5 };
      for (const [name, ms] of Object.entries(due)) alarms.set(newAlarm(name), 1_000_000 + ms);
      await clock.run(10);
      assert.deepEqual(rung, ['past 0', 'soon 7', 'same 7', 'next 8']);
      await clock.run(600_000);
      assert.deepEqual(rung.slice(4), ['late 600000']);
    }));

  it('do not ring if they are cancelled, even by an alarm of the same time', () =>
    withAlarms(async ({ clock, alarms, rung, newAlarm }) => {
      const [one, two] = [newAlarm('one'), newAlarm('two')];
      const killer = newAlarm('killer', () => alarms.cancel(two));
      alarms.set(one, 1_000_010);
      alarms.set(killer, 1_000_020);
      alarms.set(two, 1_000_020);
      alarms.cancel(one);
      alarms.cancel(newAlarm('never set'));
      await clock.run(1_000);
      assert.deepEqual(rung, ['killer 20']);
    }));

  it('can be set again while they ring', () =>
    withAlarms(async ({ clock, alarms, rung, newAlarm }) => {
      const again: Alarm = newAlarm('again', () => alarms.set(again, again.due + 100));
      alarms.set(again, 1_000_100);
      await clock.run(450);
      assert.deepEqual(rung, ['again 100', 'again 200', 'again 300', 'again 400']);
    }));

  it('share timers: a thousand that are set and cancelled need one', async () => {
    let timers = 0;
    const time: StoreTime = {
      now: () => 0,
      monotonic: () => 0,
      after: () => {
        timers++;
        return () => {};
      },
      sleep: async () => {},
    };
    const alarms = Alarms.of(time);
    for (let i = 0; i < 1_000; i++) {
      const alarm: Alarm = { due: 0, ring: () => {} };
      alarms.set(alarm, 10_000 + i / 100);
      alarms.cancel(alarm);
    }
    assert.equal(timers, 1);
    assert.equal(Alarms.of(time), alarms, 'one for each source of time');
  });
});
