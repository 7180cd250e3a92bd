import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { compareLive, RawClient, startSorrel } from '../support/index.js';
import { type ConnectionPair, SIDES } from '../support/pair.js';
import { plain } from '../support/reply.js';

const THRESHOLD = ['CONFIG', 'SET', 'busy-reply-threshold', '20'];
const FOREVER = ['EVAL', 'while true do end', '0'];

/** Returns when both servers reply BUSY. */
async function untilBusy(connection: ConnectionPair): Promise<void> {
  const giveUpAt = Date.now() + 60_000;
  for (const side of SIDES) {
    for (;;) {
      assert.ok(Date.now() < giveUpAt, `${side} never gets busy`);
      const reply = plain(await connection[side].call(['PING']));
      if (reply instanceof Error && reply.message.startsWith('BUSY')) break;
      await pause(2);
    }
  }
}

compareLive('a script that takes too long can be killed', async ({ sendBoth, connect }) => {
  const [running, other] = [await connect(), await connect()];
  await sendBoth(THRESHOLD);
  for (const side of SIDES) running[side].send(FOREVER);
  await untilBusy(other);
  await sendBoth('GET k', { on: other });
  await sendBoth('NOSUCH', { on: other });
  await sendBoth('GET', { on: other });
  await sendBoth('MULTI', { on: other });
  await sendBoth('SET a 1', { on: other });
  await sendBoth('DISCARD', { on: other });
  await sendBoth('FUNCTION STATS', { on: other });
  await sendBoth('FUNCTION KILL', { on: other });
  await sendBoth('SHUTDOWN', { on: other });
  await sendBoth('SCRIPT KILL', { on: other });
  const [redis, sorrel] = await Promise.all(SIDES.map((side) => running[side].next()));
  assert.equal(String(plain(sorrel!)), String(plain(redis!)));
  await sendBoth('PING', { on: other });
  await sendBoth('SCRIPT KILL', { on: other });
});

for (const script of [
  'while true do pcall(function() while true do redis.call("ping") end end) end',
  'while true do pcall(error, "x") end',
  'while true do redis.pcall("nosuch") end',
]) {
  compareLive(
    `a killed script cannot continue by catching the error: ${script}`,
    async ({ sendBoth, connect }) => {
      const [running, other] = [await connect(), await connect()];
      await sendBoth(THRESHOLD);
      for (const side of SIDES) running[side].send(['EVAL', script, '0']);
      await untilBusy(other);
      await sendBoth('SCRIPT KILL', { on: other });
      const [redis, sorrel] = await Promise.all(SIDES.map((side) => running[side].next()));
      assert.equal(String(plain(sorrel!)), String(plain(redis!)));
    },
  );
}

compareLive('a script that has written cannot be killed', async ({ sendBoth, connect }) => {
  const [running, other] = [await connect(), await connect()];
  await sendBoth(THRESHOLD);
  // It ends by itself after SCRIPT KILL has failed.
  const script =
    'redis.call("set", "a", 1) repeat until string.find(redis.call("info", "errorstats"), "UNKILLABLE") return 1';
  for (const side of SIDES) running[side].send(['EVAL', script, '0']);
  await untilBusy(other);
  await sendBoth('SCRIPT KILL', { on: other });
  const [redis, sorrel] = await Promise.all(SIDES.map((side) => running[side].next()));
  assert.equal(String(plain(sorrel!)), String(plain(redis!)));
  await sendBoth('GET a', { on: other });
});

compareLive('a function that takes too long can be killed', async ({ sendBoth, connect }) => {
  const [running, other] = [await connect(), await connect()];
  await sendBoth(THRESHOLD);
  await sendBoth([
    'FUNCTION',
    'LOAD',
    '#!lua name=slow\nredis.register_function("slow", function() while true do end end)',
  ]);
  for (const side of SIDES) running[side].send('FCALL slow 1 key arg');
  await untilBusy(other);
  await sendBoth('SCRIPT KILL', { on: other });
  await sendBoth('FUNCTION STATS', {
    on: other,
    normalise: (reply) => reply.raw.toString('latin1').replace(/:\d+\r\n(?=\$7)/, ':ms\r\n'),
  });
  await sendBoth('FUNCTION KILL', { on: other });
  const [redis, sorrel] = await Promise.all(SIDES.map((side) => running[side].next()));
  assert.equal(String(plain(sorrel!)), String(plain(redis!)));
  await sendBoth('FUNCTION STATS', { on: other });
});

compareLive('a busy server can be shut down without saving', async ({ sendBoth, connect }) => {
  const [running, other] = [await connect(), await connect()];
  await sendBoth(THRESHOLD);
  for (const side of SIDES) running[side].send(['EVAL', 'redis.call("set", "a", 1) while true do end', '0']);
  await untilBusy(other);
  for (const side of SIDES) other[side].send('SHUTDOWN NOSAVE');
  for (const side of SIDES) assert.ok(await running[side].waitForClose(), side);
});

test('SHUTDOWN NOSAVE ends a script also while a first append-only file is being written', async () => {
  const { port } = await startSorrel(['--busy-reply-threshold', '20', '--rdb-key-save-delay', '100000000']);
  const [running, other] = [await RawClient.connect(port), await RawClient.connect(port)];
  await other.call(['SET', 'key', 'value']);
  assert.equal(plain(await other.call(['CONFIG', 'SET', 'appendonly', 'yes'])), 'OK');
  running.send(['EVAL', 'redis.call("set", "a", 1) while true do end', '0']);
  const giveUpAt = Date.now() + 60_000;
  while (!(plain(await other.call(['PING'])) instanceof Error)) assert.ok(Date.now() < giveUpAt);
  other.send('SHUTDOWN NOSAVE');
  assert.ok(await running.waitForClose());
});

compareLive(
  'clients that connect while a script runs get replies and stay connected',
  async ({ sendBoth, connect }) => {
    const [running, other] = [await connect(), await connect()];
    for (let round = 0; round < 2; round++) {
      await sendBoth(THRESHOLD);
      for (const side of SIDES) running[side].send(FOREVER);
      await untilBusy(other);
      const late = await connect();
      await sendBoth('GET k', { on: late });
      await sendBoth('SCRIPT KILL', { on: late });
      for (const side of SIDES) await running[side].next();
      await sendBoth('SET k v', { on: late });
      await sendBoth('GET k', { on: late });
      const later = await connect();
      await sendBoth('GET k', { on: later });
      for (const side of SIDES) late[side].close();
      await sendBoth('GET k', { on: await connect() });
    }
  },
);
