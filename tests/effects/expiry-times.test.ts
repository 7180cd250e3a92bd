import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../src/bytes/clock.js';
import { Engine } from '../../src/engine/engine.js';
import { EngineClient } from '../support/engine-client.js';

test('times near 2^63 are recorded as 64-bit integers that can be loaded', () => {
  const engine = new Engine({ clock: new ManualClock() });
  const recorded: string[] = [];
  engine.keyspace.effects.subscribe({
    batch: (commands) => {
      for (const { argv } of commands) recorded.push(argv.join(' '));
    },
  });
  const client = new EngineClient(engine);
  const largest = '9223372036854775807';
  const lines = [
    'SET k v',
    `PEXPIREAT k ${largest}`,
    'EXPIREAT k 9223372036854775',
    `GETEX k PXAT ${largest}`,
    `SET k v PXAT ${largest}`,
  ];
  for (const line of lines) assert.match(client.run(line), /^[+:$]/);
  assert.equal(client.run('PEXPIRETIME k'), `:${largest}\r\n`);
  const replaying = new EngineClient(new Engine({ clock: new ManualClock() }));
  for (const line of recorded) assert.match(replaying.run(line), /^[+:$]/, line);
  assert.equal(replaying.run('PEXPIRETIME k'), `:${largest}\r\n`);
});
