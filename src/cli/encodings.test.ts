import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KEY } from '../console/labs/measure-encodings.js';
import { open } from '../store/index.js';
import { runEncodings } from './encodings.js';
import { plot, short } from './plot.js';

async function printed(...parameters: string[]): Promise<string> {
  const lines: string[] = [];
  await runEncodings([...parameters, '--ms', '1'], (line) => lines.push(line));
  return lines.join('\n');
}

describe('sorrel encodings', () => {
  it('compares packed and other structures of each type', async () => {
    const text = await printed('--lengths', '10,600');
    for (const [type, packed, plain] of [
      ['list', 'quicklist', 'quicklist'],
      ['hash', 'listpack', 'hashtable'],
      ['set', 'intset', 'hashtable'],
      ['zset', 'listpack', 'skiplist'],
    ] as const) {
      const part = text.slice(text.indexOf(`\n${type}: `)).split(/\n(?=list:|hash:|set:|zset:)/)[1] ?? '';
      const bytesOf = (variant: string, encoding: string): number => {
        const row = new RegExp(`^ +600 +${variant} +${encoding} +[\\d.]+(?: [kM])? +([\\d.]+)$`, 'm').exec(
          part,
        );
        assert.ok(row, `${type} ${variant}:\n${part}`);
        return Number(row[1]);
      };
      assert.ok(bytesOf('packed', packed) < bytesOf('not packed', plain) / 2, part);
    }
    assert.match(text, /└─+\n +10 +600\n +● packed {3}○ not packed/);
  });

  it('leaves out what would take minutes, and says so', async () => {
    const text = await printed('--types', 'hash,set', '--lengths', '10,10001');
    const [hash = '', set = ''] = text.split(/\n(?=set: )/);
    assert.doesNotMatch(hash, /^ +10001 +packed/m);
    assert.match(hash, /^ +10001 +not packed +hashtable/m);
    assert.match(hash, /Packed ones of more than 10,000 elements are left out/);
    assert.match(set, /^ +10001 +packed +intset/m);
    assert.doesNotMatch(set, /left out/);
  });

  it('uses the settings of a server, and with --compare sets them back', async () => {
    await using store = await open();
    await using listener = await store.listen({ port: 0 });
    await store.send('CONFIG', 'SET', 'hash-max-listpack-entries', 77);
    const measured = await printed(listener.address, '--types', 'hash', '--lengths', '77,78');
    assert.match(measured, /^ +77 {2}as configured +listpack /m);
    assert.match(measured, /^ +78 {2}as configured +hashtable /m);
    const compared = await printed(listener.address, '--types', 'hash', '--lengths', '78', '--compare');
    assert.match(compared, /^ +78 {2}packed +listpack /m);
    assert.deepEqual(await store.send('CONFIG', 'GET', 'hash-max-listpack-entries'), [
      'hash-max-listpack-entries',
      '77',
    ]);
    assert.equal(await store.exists(KEY), 0);
  });

  it('refuses what it does not know', async () => {
    await assert.rejects(printed('--types', 'stream'), /no type 'stream'/);
    await assert.rejects(printed('--lengths', '0'), /--lengths takes whole numbers/);
    await assert.rejects(printed('memory:', 'memory:'), /one address only/);
    await assert.rejects(printed('--lenghts', '1'), /lenghts/);
  });
});

describe('A plot', () => {
  it('has the highest value at the top, the lowest at the bottom, and a mark for each series', () => {
    const lines = plot(
      ['1', '10', '100'],
      [
        { label: 'a', values: [1_000, 100, 10] },
        { label: 'b', values: [1_000, 1_000, undefined] },
      ],
    );
    assert.equal(lines[0], '1 k │    ◎    ○');
    assert.equal(lines[7], ' 10 │              ●');
    assert.equal(lines.at(-2), '         1   10  100');
    assert.equal(lines.at(-1), '      ● a   ○ b   ◎ both');
    assert.deepEqual(plot(['1'], [{ label: 'none', values: [undefined] }]), []);
    assert.equal(plot(['1'], [{ label: 'one', values: [5] }]).length, 11);
  });

  it('shortens numbers', () => {
    assert.deepEqual([1, 12.34, 999, 1_000, 52_093, 1_234_567].map(short), [
      ...['1', '12.3', '999', '1 k'],
      ...['52.1 k', '1.2 M'],
    ]);
  });
});
