import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DEFAULT_PERIODS } from './periods.js';
import { Scripts } from './scripts.js';
import type { ScriptEnd, SentinelWorld } from './sentinel-world.js';

/** A world in which scripts end when the test says so. */
function setUp() {
  let now = 1_000_000;
  const started: string[] = [];
  const ends: ((end: ScriptEnd) => void)[] = [];
  const killed: number[] = [];
  const world = {
    clock: { now: () => now, micros: () => now * 1000 },
    runScript: (words: readonly string[], ended: (end: ScriptEnd) => void) => {
      started.push(words.join(' '));
      const at = ends.push(ended) - 1;
      return {
        pid: at,
        kill: () => {
          killed.push(at);
          ended({ code: 0, signal: 9 });
        },
      };
    },
  } as unknown as SentinelWorld;
  const scripts = new Scripts(world, { ...DEFAULT_PERIODS });
  const events: string[] = [];
  scripts.onEvent = (level, type, text) => void (level === 'warning' && events.push(`${type} ${text}`));
  const pass = (ms: number): void => {
    now += ms;
    scripts.tick();
  };
  return { scripts, started, events, killed, pass, end: (end: ScriptEnd) => ends.at(-1)?.(end) };
}

describe('scripts of a Sentinel', () => {
  it('run once if they succeed', () => {
    const { scripts, started, events, pass, end } = setUp();
    scripts.schedule(['/notify', '+sdown', 'text']);
    pass(100);
    assert.deepEqual(started, ['/notify +sdown text']);
    end({ code: 0, signal: 0 });
    pass(3_600_000);
    assert.equal(scripts.count, 0);
    assert.equal(started.length, 1);
    assert.deepEqual(events, []);
  });

  it('run again if they end with 1, ten times in all, and wait longer each time', () => {
    const { scripts, started, events, pass, end } = setUp();
    scripts.schedule(['/notify']);
    pass(100);
    for (let tries = 1; tries <= 10; tries++) {
      assert.equal(started.length, tries);
      end({ code: 1, signal: 0 });
      const delay = 30_000 * 2 ** (tries - 1);
      pass(delay - 1);
      assert.equal(started.length, tries, 'not before its time');
      pass(1);
    }
    assert.equal(scripts.count, 0);
    assert.deepEqual(events, ['-script-error /notify 0 1']);
  });

  it('do not run again if they end with another code', () => {
    const { scripts, started, events, pass, end } = setUp();
    scripts.schedule(['/notify']);
    pass(100);
    end({ code: 2, signal: 0 });
    pass(3_600_000);
    assert.equal(started.length, 1);
    assert.equal(scripts.count, 0);
    assert.deepEqual(events, ['-script-error /notify 0 2']);
  });

  it('are killed after a minute, and run again', () => {
    const { scripts, started, events, killed, pass } = setUp();
    scripts.schedule(['/slow']);
    pass(0);
    pass(60_000);
    assert.deepEqual(killed, []);
    pass(1);
    assert.deepEqual(killed, [0]);
    assert.deepEqual(events, ['-script-timeout /slow 0']);
    pass(30_000);
    assert.equal(started.length, 2);
  });

  it('run at most sixteen at a time, and at most 256 wait', () => {
    const { scripts, started, pass } = setUp();
    for (let i = 0; i < 300; i++) scripts.schedule([`/n${i}`]);
    assert.equal(scripts.count, 256);
    pass(0);
    assert.equal(scripts.runningCount, 16);
    assert.equal(started[0], '/n44', 'the oldest were dropped');
  });
});
