import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type EmbeddedStore, ManualClock, open } from '../../store/index.js';
import { formatAddress, parseAddress, parseNetwork } from './address.js';
import { exampleData, type ImportProgress, type IpLookup, ipLookup, progressBar } from './index.js';

interface Bench extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly store: EmbeddedStore;
  readonly places: IpLookup;
}

async function bench(): Promise<Bench> {
  const clock = new ManualClock(Date.UTC(2026, 0, 1));
  const store = await open('memory:', { clock });
  return { clock, store, places: ipLookup(store), [Symbol.asyncDispose]: () => store.close() };
}

const LOCATIONS = [
  'geoname_id,locale_code,continent_code,continent_name,country_iso_code,country_name,subdivision_1_iso_code,subdivision_1_name,subdivision_2_iso_code,subdivision_2_name,city_name,metro_code,time_zone,is_in_european_union\n',
  '1,en,XX,"Example Land",XA,"Arden, Upper",N,"The ""North""",,,Ashford,,Europe/Arden,0\r\n2,en,XX,Example Land,XB,Borealia,,,,,,,,0\n',
];
const blocks = (...rows: string[]): string[] => [
  'network,geoname_id,registered_country_geoname_id,represented_country_geoname_id,is_anonymous_proxy,is_satellite_provider\n',
  ...rows.map((row) => `${row},0,0\n`),
];

describe('An IP lookup', () => {
  it('finds cities and countries of IPv4 and IPv6 addresses, with the ends of their range', async () => {
    await using on = await bench();
    const ipv4 = blocks('192.0.2.0/25,1,2,', '192.0.2.128/25,,2,', '198.51.100.0/24,,,');
    const ipv6 = blocks('2001:db8::/33,1,2,');
    assert.deepEqual(await on.places.import({ locations: LOCATIONS, blocks: [ipv4, ipv6] }), {
      ranges: 3,
      locations: 2,
    });
    assert.deepEqual(await on.places.find('192.0.2.77'), {
      geonameId: 1,
      city: 'Ashford',
      region: 'The "North"',
      regionCode: 'N',
      country: 'Arden, Upper',
      countryCode: 'XA',
      continent: 'Example Land',
      continentCode: 'XX',
      timeZone: 'Europe/Arden',
      from: '192.0.2.0',
      to: '192.0.2.127',
    });
    const country = await on.places.find('::ffff:192.0.2.128');
    assert.deepEqual(
      [country?.city, country?.country, country?.from],
      [undefined, 'Borealia', '192.0.2.128'],
    );
    const six = await on.places.find('2001:db8:7fff:ffff:ffff:ffff:ffff:ffff%eth0');
    assert.deepEqual(
      [six?.city, six?.from, six?.to],
      ['Ashford', '2001:db8::', '2001:db8:7fff:ffff:ffff:ffff:ffff:ffff'],
    );
  });

  it('respects where ranges begin and end: an address between two of them is nowhere', async () => {
    await using on = await bench();
    const { locations, ipv4, ipv6 } = exampleData(1_000);
    await on.places.import({ locations, blocks: [ipv4, ipv6] });
    for (const [address, isKnown] of [
      ['9.255.255.255', false],
      ['10.0.0.0', true],
      ['10.0.0.15', true],
      ['10.0.0.16', false],
      ['10.0.0.31', false],
      ['10.0.0.32', true],
      ['10.0.124.239', true],
      ['10.0.124.240', false],
      ['255.255.255.255', false],
      ['2001:db7:ffff:ffff:ffff:ffff:ffff:ffff', false],
      ['2001:db8::', true],
      ['2001:db8:0:1::', false],
      ['2001:db8:0:2::1', true],
      ['::', false],
    ] as const) {
      assert.equal((await on.places.find(address)) !== undefined, isKnown, address);
    }
  });

  it('gives the same answers as a search through all ranges, whatever they are', async () => {
    await using on = await bench();
    // Bounds of ranges in a small part of the address space, so that many are hit.
    const bounds = fc.uniqueArray(fc.nat(2_000), { minLength: 2, maxLength: 1_200 });
    await fc.assert(
      fc.asyncProperty(
        bounds,
        fc.array(fc.nat(2_100), { maxLength: 60 }),
        fc.boolean(),
        async (ends, asked, isSix) => {
          const textOf = (n: number): string =>
            isSix ? `2001:db8::${n.toString(16)}` : `10.0.${Math.floor(n / 256)}.${n % 256}`;
          const sorted = ends.sort((a, b) => a - b);
          const ranges: [number, number][] = [];
          for (let i = 0; i + 1 < sorted.length; i += 2)
            ranges.push([sorted[i] as number, sorted[i + 1] as number]);
          const rows = ranges.map(([first, last]) => `${textOf(first)},${textOf(last)},1\n`);
          const csv = ['network_start_ip,network_last_ip,geoname_id\n', ...rows];
          await on.places.import({ locations: LOCATIONS, blocks: [csv] });
          for (const n of asked) {
            const expected = ranges.find(([first, last]) => first <= n && n <= last);
            const found = await on.places.find(textOf(n));
            const ends = expected?.map((end) => formatAddress(parseAddress(textOf(end)) as Buffer));
            assert.deepEqual(found && [found.from, found.to], ends, textOf(n));
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  it('changes over to new data in one step, and removes the old data', async () => {
    await using on = await bench();
    const other = ipLookup(on.store);
    const data = exampleData(2_000);
    await on.places.import({ locations: data.locations, blocks: [data.ipv4, data.ipv6] });
    assert.ok(await other.find('10.0.0.1'));
    const keys = (await on.store.send<number>('DBSIZE')) - 1;
    await on.places.import({ locations: LOCATIONS, blocks: [blocks('10.0.0.0/28,1,,')] });
    assert.equal((await on.places.find('10.0.0.1'))?.city, 'Ashford');
    assert.ok(await other.find('10.0.1.1'), 'another process goes on with the old data for a moment');
    on.clock.advance(5_000);
    assert.equal(await other.find('10.0.1.1'), undefined);
    assert.equal((await other.find('10.0.0.1'))?.city, 'Ashford');
    await on.clock.run(60_001);
    assert.ok(
      keys > 16 && (await on.store.send<number>('DBSIZE')) === 7,
      'registry, directories, a page, places with layout and index',
    );
    await on.places.remove();
    assert.equal(await on.store.send('DBSIZE'), 0);
    await assert.rejects(other.find('10.0.0.1'), { code: 'NO_DATA' });
  });

  it('leaves nothing behind if an import fails or is ended, and keeps the old data', async () => {
    await using on = await bench();
    await on.places.import({ locations: LOCATIONS, blocks: [blocks('10.0.0.0/28,1,,')] });
    const before = await on.store.send('DBSIZE');
    const { locations, ipv4 } = exampleData(5_000);
    const broken = on.places.import({ locations, blocks: [[...ipv4, '10.0.0.0/8,1,,\n']] });
    await assert.rejects(broken, {
      code: 'FORMAT',
      message: /line 5002: 10\.0\.0\.0 is not after 10\.2\.112\.239: sort/,
    });
    const controller = new AbortController();
    const onProgress = ({ ranges }: ImportProgress): void => {
      if (ranges > 1_000) controller.abort();
    };
    const ended = on.places.import({ locations, blocks: [ipv4], onProgress, signal: controller.signal });
    await assert.rejects(ended, { code: 'ABORTED' });
    assert.equal((await on.places.find('10.0.0.1'))?.city, 'Ashford');
    await on.clock.run(86_400_001);
    assert.equal(await on.store.send('DBSIZE'), before, 'what was written has expired');
  });

  it('removes data that a process has left that died before it was in use', async () => {
    await using on = await bench();
    const left = JSON.stringify({ pages4: 1, pages6: 0, places: 1, begun: on.clock.now() });
    await on.store.send('HSET', 'ip:{current}:datasets', 'dataset:dead', left);
    await on.store.send('SET', 'ip:{dead-4-0}:page', 'x');
    const data = { locations: LOCATIONS, blocks: [blocks('10.0.0.0/28,1,,')] };
    await on.places.import(data);
    assert.equal(await on.store.send('EXISTS', 'ip:{dead-4-0}:page'), 1, 'it may still be at work');
    await on.clock.run(86_400_001);
    await on.places.import(data);
    await on.clock.run(60_001);
    assert.equal(await on.store.send('EXISTS', 'ip:{dead-4-0}:page'), 0);
    assert.ok(await on.places.find('10.0.0.1'));
  });

  it('needs one request for a page and one for a place, and none for what it has in memory', async () => {
    await using on = await bench();
    const { locations, ipv4 } = exampleData(1_000);
    await on.places.import({ locations, blocks: [ipv4] });
    const calls = async (): Promise<number> => {
      const info = (await on.store.send('INFO', 'commandstats')) as string;
      return Number(/cmdstat_get:calls=(\d+)/.exec(info)?.[1] ?? 0);
    };
    await Promise.all(Array.from({ length: 100 }, (_, i) => on.places.find(`10.0.${i % 8}.${i}`)));
    assert.equal(await calls(), 2, 'the directory and one page');
    for (let i = 0; i < 100; i++) await on.places.find('10.0.0.1');
    assert.equal(await calls(), 2);
    const small = ipLookup(on.store, { cachedPages: 0 });
    for (let i = 0; i < 3; i++) await small.find('10.0.0.1');
    assert.equal(await calls(), 6);
  });

  it('waits while the store is paused, and reports what is wrong with a page', async () => {
    await using on = await bench();
    const { locations, ipv4 } = exampleData(1_000);
    await on.places.import({ locations, blocks: [ipv4] });
    const places = ipLookup(on.store, { cachedPages: 0, cachedPlaces: 0 });
    const expected = await places.find('10.0.0.1');
    assert.ok(expected !== undefined);
    await on.store.send('CLIENT', 'PAUSE', 20);
    const found = places.find('10.0.0.1');
    await on.clock.run(30);
    assert.deepEqual(await found, expected);
    const [page = ''] = (await on.store.send('KEYS', 'ip:*-4-0}:page')) as string[];
    await on.store.del(page);
    await on.store.lpush(page, 'x');
    await assert.rejects(places.find('10.0.0.1'), { code: 'WRONGTYPE' });
  });

  it('reads a page and a place of an embedded store without a promise between them', async () => {
    await using on = await bench();
    const { locations, ipv4 } = exampleData(1_000);
    await on.places.import({ locations, blocks: [ipv4] });
    const places = ipLookup(on.store, { cachedPages: 0, cachedPlaces: 0 });
    const expected = await places.find('10.0.0.1');
    const found = places.find('10.0.0.1');
    // Too late for a call that has what it needs.
    on.store.sync.flushall();
    assert.deepEqual(await found, expected);
  });

  it('imports files and shows its progress', async () => {
    await using on = await bench();
    const folder = mkdtempSync(join(tmpdir(), 'sorrel-ip-'));
    const data = exampleData(3_000);
    const paths = {
      locations: join(folder, 'l.csv'),
      ipv4: join(folder, '4.csv'),
      ipv6: join(folder, '6.csv'),
    };
    for (const [name, path] of Object.entries(paths))
      writeFileSync(path, data[name as keyof typeof data].join(''));
    const shown: string[] = [];
    const seen: ImportProgress[] = [];
    const bar = progressBar({ isTTY: true, write: (text) => shown.push(text) });
    await on.places.import({
      locations: paths.locations,
      blocks: [paths.ipv4, paths.ipv6],
      onProgress: (progress) => {
        seen.push(progress);
        bar(progress);
      },
    });
    rmSync(folder, { recursive: true });
    assert.ok(seen.every(({ done }, i) => i === 0 || (done as number) >= (seen[i - 1]?.done as number)));
    assert.deepEqual(seen.at(-1), { done: 1, ranges: 6_000, locations: 60 });
    assert.match(shown.at(-1) as string, /█{30} 100 % {2}6,000 ranges, 60 locations\n$/);
    assert.ok(shown.length > 2);
  });

  it('says what is wrong with files, addresses and missing data', async () => {
    await using on = await bench();
    await assert.rejects(on.places.find('10.0.0.1'), { code: 'NO_DATA', message: /call `import` first/ });
    for (const text of ['10.0.0', '10.0.0.256', 'x', '', '1.2.3.4/8', ':::']) {
      await assert.rejects(on.places.find(text), { code: 'OPTION', message: /pass an IPv4 or IPv6 address/ });
    }
    const load = (source: string[], locations = LOCATIONS): Promise<unknown> =>
      on.places.import({ locations, blocks: [source] });
    await assert.rejects(load(blocks('10.0.0.1/28,1,,')), {
      code: 'FORMAT',
      message: /'10\.0\.0\.1\/28' is no network/,
    });
    await assert.rejects(load(blocks('10.0.0.0/33,1,,')), { code: 'FORMAT' });
    await assert.rejects(load(['a,b\n1,2\n']), { code: 'FORMAT', message: /has no column 'geoname_id'/ });
    await assert.rejects(load(blocks('10.0.0.0/28,1,,'), ['a,b\n']), {
      code: 'FORMAT',
      message: /`locations` has no column/,
    });
    const missing = on.places.import({ locations: '/nowhere.csv', blocks: [[]] });
    await assert.rejects(missing, { code: 'FILE', message: /\/nowhere\.csv cannot be read/ });
  });
});

describe('Addresses', () => {
  it('are read and written in their usual forms', () => {
    for (const [text, short] of [
      ['192.0.2.1', '192.0.2.1'],
      ['2001:db8::1', '2001:db8::1'],
      ['2001:0DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
      ['::', '::'],
      ['::1', '::1'],
      ['1::', '1::'],
      ['::ffff:192.0.2.1', '192.0.2.1'],
      ['64:ff9b::192.0.2.1', '64:ff9b::c000:201'],
      ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'],
    ] as const) {
      assert.equal(formatAddress(parseAddress(text) as Buffer), short);
    }
  });

  it('keep their value when they are written and read again', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        const address = parseAddress(text) as Buffer;
        assert.deepEqual(parseAddress(formatAddress(address)), address);
      }),
    );
  });

  it('of a network are all those with its first bits', () => {
    const ends = (text: string) => {
      const range = parseNetwork(text);
      return range && [formatAddress(range.first), formatAddress(range.last)];
    };
    assert.deepEqual(ends('10.0.0.0/8'), ['10.0.0.0', '10.255.255.255']);
    assert.deepEqual(ends('0.0.0.0/0'), ['0.0.0.0', '255.255.255.255']);
    assert.deepEqual(ends('192.0.2.1/32'), ['192.0.2.1', '192.0.2.1']);
    assert.deepEqual(ends('2001:db8::/45'), ['2001:db8::', '2001:db8:7:ffff:ffff:ffff:ffff:ffff']);
    for (const text of ['10.0.0.0', '10.0.0.0/', '10.0.0.0/x', '10.0.0.1/8', '10.0.0.0/33', '10.0.0.0/8/8']) {
      assert.equal(ends(text), undefined, text);
    }
  });
});
