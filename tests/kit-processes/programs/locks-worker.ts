/** Repeatedly acquires a lock and changes the protected resource: reads, waits, writes the value plus one. */
import { locks } from '../../../src/kit/locks/index.js';
import { LEASE_MS } from './locks-crew.js';
import { workUntilStopped } from './locks-worker-setup.js';

/**
 * The resource refuses a token that is smaller than the largest one it has seen. A repeated write counts once: a command whose
 * connection is cut is sent again.
 */
const READ = `
  if tonumber(redis.call('HGET', resource, 'token') or 0) > tonumber(token) then return -1 end
  redis.call('HSET', resource, 'token', token)
  return tonumber(redis.call('HGET', resource, 'value') or 0)`;
const WRITE = `
  if tonumber(redis.call('HGET', resource, 'token')) > tonumber(token) then return 0 end
  if redis.call('LINDEX', accepted, -1) == token then return 1 end
  redis.call('HSET', resource, 'value', value)
  redis.call('RPUSH', accepted, token)
  return 1`;

await workUntilStopped(async ({ store, draw, moment, report, violation }) => {
  const read = store.script({ keys: ['resource'], args: ['token'], lua: READ, reply: Number });
  const write = store.script({
    keys: ['resource', 'accepted'],
    args: ['token', 'value'],
    lua: WRITE,
    reply: Number,
  });
  const isFair = draw() < 0.5;
  const lock = await locks(store, { lease: LEASE_MS }).acquire('shared', { fair: isFair, wait: 60_000 });
  try {
    const first = await moment();
    const { token } = lock;
    const value = await read({ resource: 'resource', token });
    for (let pauses = Math.floor(draw() * 4); pauses > 0; pauses--) await store.send('PING');
    const isAccepted =
      value >= 0 &&
      (await write({ resource: 'resource', accepted: 'accepted', token, value: value + 1 })) === 1;
    if (!isAccepted && (await lock.renew())) await violation(`${token} was refused while its lock was held`);
    const last = await moment();
    if (!(await lock.release())) return;
    await report(first, last);
  } finally {
    // A call whose connection was cut has failed: the lock must not be renewed forever.
    await lock.release().catch(() => {});
  }
});
