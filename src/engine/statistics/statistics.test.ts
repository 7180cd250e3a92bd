import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Settings } from '../../commands/config/settings.js';
import { commandTable } from '../running/command-table.js';
import { Statistics } from './statistics.js';

function commandId(name: string): number {
  const command = commandTable.byName(name);
  assert.ok(command !== undefined, name);
  return command.id;
}

const GET = commandId('get');
const SET = commandId('set');
const KEYS = commandId('keys');
const HGETALL = commandId('hgetall');

test('quick commands are charged equal shares of the time of their chunk', () => {
  const statistics = new Statistics(commandTable, new Settings());
  statistics.beginChunk();
  for (let i = 0; i < 3; i++) statistics.countQuick(GET);
  statistics.countQuick(SET);
  statistics.endChunk();
  assert.equal(statistics.calls(GET), 3);
  assert.equal(statistics.calls(SET), 1);
  assert.equal(statistics.latencies(GET)?.total, 3);
  assert.equal(statistics.commandsProcessed, 4);
});

test('a command in the middle of a chunk sees the commands before it counted', () => {
  const statistics = new Statistics(commandTable, new Settings());
  statistics.beginChunk();
  statistics.countQuick(GET);
  assert.equal(statistics.calls(GET), 1);
  statistics.countQuick(GET);
  statistics.endChunk();
  assert.equal(statistics.calls(GET), 2);
});

test('slow commands are timed individually, and all commands are if the slow log needs exact times', () => {
  const settings = new Settings();
  const statistics = new Statistics(commandTable, settings);
  const isTimed = (id: number): boolean =>
    (statistics.quickArguments[id] as number) < 2 && statistics.counting[id] === 0;
  assert.equal(isTimed(GET), false);
  assert.equal(isTimed(HGETALL), false);
  assert.equal(isTimed(KEYS), true);
  settings.configure('slowlog-log-slower-than', '0');
  assert.equal(isTimed(GET), true);
  assert.equal(isTimed(HGETALL), true);
  settings.configure('slowlog-log-slower-than', '-1');
  assert.equal(isTimed(GET), false);
  settings.configure('latency-monitor-threshold', '5');
  assert.equal(isTimed(GET), true);
  statistics.countTimed(KEYS, 2.5);
  assert.equal(statistics.micros(KEYS), 2500);
});

test('a rate is the mean of the last samples', () => {
  const statistics = new Statistics(commandTable, new Settings());
  for (let i = 0; i <= 16; i++) {
    statistics.inputBytes = i * 50;
    statistics.sample(1000 + i * 100, 0);
  }
  assert.equal(statistics.inputRate, 500);
  assert.equal(statistics.outputRate, 0);
});

test('peak memory is kept until the counters are reset', () => {
  const statistics = new Statistics(commandTable, new Settings());
  statistics.sample(0, 500);
  statistics.sample(100, 300);
  assert.equal(statistics.peakMemory, 500);
  statistics.countError('WRONGTYPE Operation against');
  statistics.countError('NOCODE');
  assert.deepEqual(
    [...statistics.errors],
    [
      ['WRONGTYPE', 1],
      ['NOCODE', 1],
    ],
  );
  statistics.reset(300);
  assert.equal(statistics.peakMemory, 300);
  assert.equal(statistics.errorReplies, 0);
  assert.equal(statistics.errors.size, 0);
});

test('single commands are all counted, and an untimed one is charged the time of the last timed one', () => {
  const statistics = new Statistics(commandTable, new Settings());
  for (let i = 0; i < 100; i++) {
    statistics.beginLone();
    statistics.countQuick(GET);
    statistics.endLone();
  }
  assert.equal(statistics.calls(GET), 100);
  assert.equal(statistics.latencies(GET)?.total, 100);
  statistics.beginLone();
  statistics.countQuick(GET);
  statistics.endLone();
  statistics.beginChunk();
  statistics.countQuick(SET);
  statistics.endChunk();
  assert.deepEqual([statistics.calls(GET), statistics.calls(SET)], [101, 1]);
});

test('an untimed command is charged what the same command took when it was timed', () => {
  const statistics = new Statistics(commandTable, new Settings());
  const charged = (id: number, milliseconds: number): number => {
    const before = statistics.micros(id);
    statistics.beginLone(1);
    for (const end = performance.now() + milliseconds; performance.now() < end; );
    statistics.countQuick(id);
    statistics.endLone();
    return statistics.micros(id) - before;
  };
  const timedSet = charged(SET, 5);
  // Neither timed now nor before: charged as the last one.
  assert.ok(Math.abs(charged(GET, 0) - timedSet) <= 1);
  assert.ok(charged(GET, 10) >= 10_000);
  assert.ok(Math.abs(charged(SET, 0) - timedSet) <= 1);
});
