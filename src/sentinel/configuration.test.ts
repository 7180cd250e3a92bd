import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Engine } from '../engine/engine.js';
import { applyDirectives } from './configuration.js';
import { configurationLines } from './configuration-lines.js';
import { Sentinel } from './sentinel.js';
import type { SentinelWorld } from './sentinel-world.js';

function setUp(): Sentinel {
  const engine = new Engine();
  const world = {
    clock: engine.keyspace.clock,
    resolve: (host: string) => (host === 'localhost' ? '127.0.0.1' : undefined),
    isExecutable: (path: string) => path === '/bin/sh',
  } as unknown as SentinelWorld;
  return new Sentinel(engine, world);
}

function apply(sentinel: Sentinel, ...lines: readonly string[]): void {
  applyDirectives(
    sentinel,
    lines.map((line) => ({
      words: line.split(' ').slice(1),
      refused: (reason) => new Error(reason),
    })),
  );
}

const MONITOR = 'sentinel monitor m 127.0.0.1 6379 2';

describe('the configuration of a Sentinel', () => {
  it('is written as it was read', () => {
    const lines = [
      `sentinel myid ${'a'.repeat(40)}`,
      'sentinel deny-scripts-reconfig no',
      'sentinel resolve-hostnames yes',
      'sentinel announce-hostnames yes',
      MONITOR,
      'sentinel down-after-milliseconds m 5000',
      'sentinel failover-timeout m 60000',
      'sentinel parallel-syncs m 2',
      'sentinel notification-script m /bin/sh',
      'sentinel client-reconfig-script m /bin/sh',
      'sentinel auth-pass m "secret"',
      'sentinel auth-user m "me"',
      'sentinel master-reboot-down-after-period m 100',
      'sentinel config-epoch m 3',
      'sentinel leader-epoch m 4',
      'sentinel known-replica m localhost 6380',
      `sentinel known-sentinel m 127.0.0.1 26380 ${'b'.repeat(40)}`,
      'sentinel rename-command m config cfg',
      'sentinel current-epoch 5',
      'sentinel announce-ip "10.0.0.1"',
      'sentinel announce-port 7000',
      'sentinel sentinel-user "you"',
      'sentinel sentinel-pass "hidden"',
    ];
    const sentinel = setUp();
    apply(sentinel, ...lines.map((line) => line.replaceAll('"', '')));
    assert.deepEqual(configurationLines(sentinel), lines);
    sentinel.close();
  });

  it('may name a master before it is declared', () => {
    const sentinel = setUp();
    apply(sentinel, 'sentinel down-after-milliseconds m 5000', MONITOR);
    assert.equal(sentinel.masters.get('m')?.downAfter, 5000);
    sentinel.close();
  });

  for (const [lines, reason] of [
    [['sentinel monitor m 127.0.0.1 1 0'], 'Quorum must be 1 or greater.'],
    [['sentinel monitor m localhost 1 1'], "Can't resolve instance hostname."],
    [['sentinel monitor m 127.0.0.1 70000 1'], 'Invalid port number.'],
    [[MONITOR, MONITOR], 'Duplicate master name.'],
    [[MONITOR, 'sentinel down-after-milliseconds m 0'], 'negative or zero time parameter.'],
    [
      [MONITOR, 'sentinel notification-script m /no'],
      'Notification script seems non existing or non executable.',
    ],
    [['sentinel down-after-milliseconds m 1'], 'No such master with specified name.'],
    [['sentinel myid short'], 'Malformed Sentinel id in myid option.'],
    [['sentinel resolve-hostnames maybe'], 'Please specify yes or no for the resolve-hostnames option.'],
    [['sentinel foo bar'], 'Unrecognized sentinel configuration statement.'],
    [['sentinel monitor m'], 'Unrecognized sentinel configuration statement.'],
  ] as const) {
    it(`refuses ${lines.at(-1)}`, () => {
      const sentinel = setUp();
      assert.throws(() => apply(sentinel, ...lines), { message: reason });
      sentinel.close();
    });
  }
});
