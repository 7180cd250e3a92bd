import assert from 'node:assert/strict';
import { exampleData, ipLookup } from '../../../src/kit/ip-lookup/index.js';
import { onEveryStore, prepareServers, rejectsWith } from './support.js';

prepareServers();

onEveryStore('IP lookup', (test) => {
  test('what one client has imported all find, pages and places spread over the servers', async (store, {
    space,
    another,
  }) => {
    const places = ipLookup(store, { prefix: space });
    await rejectsWith(places.find('10.0.0.1'), 'NO_DATA');
    const { locations, ipv4, ipv6 } = exampleData(1_500);
    const summary = await places.import({ locations, blocks: [ipv4, ipv6] });
    assert.deepEqual(summary, { ranges: 3_000, locations: 60 });
    const reader = ipLookup(await another(), { prefix: space, cachedPages: 2 });
    for (let i = 0; i < 1_500; i += 97) {
      const number = i * 32 + 5;
      const four = await reader.find(`10.0.${Math.floor(number / 256)}.${number % 256}`);
      const six = await reader.find(`2001:db8:0:${(i * 2).toString(16)}::7`);
      assert.equal(four?.geonameId, 1_000 + ((i * 7) % 60));
      assert.equal(six?.geonameId, four.geonameId);
      assert.equal(await reader.find(`10.0.${Math.floor(number / 256)}.${(number % 256) + 16}`), undefined);
    }
    await places.remove();
    await rejectsWith(ipLookup(store, { prefix: space }).find('10.0.0.1'), 'NO_DATA');
  });

  test('new data replaces the old for all clients', async (store, { space, another }) => {
    const writer = ipLookup(store, { prefix: space });
    const reader = ipLookup(await another(), { prefix: space, maxAge: 0 });
    const { locations, ipv4, ipv6 } = exampleData(300);
    await writer.import({ locations, blocks: [ipv4] });
    assert.ok(await reader.find('10.0.0.1'));
    await writer.import({ locations, blocks: [ipv6] });
    assert.equal(await reader.find('10.0.0.1'), undefined);
    assert.ok(await reader.find('2001:db8::1'));
  });
});
