import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { open } from '../open.js';

describe('users of an embedded store', () => {
  it('do not restrict the program that embeds it', async () => {
    await using store = await open('memory:');
    await store.send('ACL', 'SETUSER', 'default', 'off', 'resetkeys', '-@all');
    assert.equal(await store.set('k', 'v'), 'OK');
    assert.equal(await store.get('k'), 'v');
    assert.equal(store.sync.get('k'), 'v');
    assert.equal(await store.send('ACL', 'WHOAMI'), null);
    assert.match(String(await store.send('CLIENT', 'LIST')), /user=\(superuser\)/);
    await store.transaction((queue) => [queue.set('k', 'w')]);
    assert.equal(await store.get('k'), 'w');
  });

  it('restrict clients that connect through listen', async () => {
    await using store = await open('memory:');
    await store.send('ACL', 'SETUSER', 'guest', 'on', '>pw', '%R~public:*', '+@read');
    await store.send('ACL', 'SETUSER', 'default', 'off');
    await store.set('public:1', 'x');
    await using listener = await store.listen({ port: 0 });
    const address = listener.address.replace('redis://', '');
    await assert.rejects(
      open(`redis://${address}`).then((other) => other.get('public:1')),
      { code: 'NOAUTH' },
    );
    await assert.rejects(open(`redis://guest:wrong@${address}`), { code: 'WRONGPASS' });
    await using guest = await open(`redis://guest:pw@${address}`);
    assert.equal(await guest.get('public:1'), 'x');
    await assert.rejects(guest.get('private:1'), { code: 'NOPERM' });
    await assert.rejects(guest.set('public:1', 'y'), { code: 'NOPERM' });
    assert.equal(await store.get('public:1'), 'x');
  });
});
