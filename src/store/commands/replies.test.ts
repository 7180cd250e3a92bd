import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { boolean, clients, double, info, list, ok, pairs, record, scores } from './replies.js';
import { places } from './server-replies.js';
import { streamEntries, streamsRead } from './stream-replies.js';

const bytes = (text: string): Buffer => Buffer.from(text);

describe('replies', () => {
  it('that are maps may be flat lists, pairs, Map or object', () => {
    const expected = [
      ['a', '1'],
      ['b', '2'],
    ];
    assert.deepEqual(pairs(['a', '1', 'b', '2']), expected);
    assert.deepEqual(pairs(expected), expected);
    assert.deepEqual(
      pairs(
        new Map([
          ['a', '1'],
          ['b', '2'],
        ]),
      ),
      expected,
    );
    assert.deepEqual(pairs({ a: '1', b: '2' }), expected);
    assert.deepEqual(pairs([]), []);
  });

  it('that are maps of lists keep the lists', () => {
    assert.deepEqual(record(['a', ['x'], 'b', []]), { a: ['x'], b: [] });
    assert.deepEqual(record(new Map([['a', ['x']]])), { a: ['x'] });
  });

  it('may be sets where RESP2 has lists', () => {
    assert.deepEqual(list(new Set(['a', 'b'])), ['a', 'b']);
    assert.deepEqual(list(['a', 'b']), ['a', 'b']);
    assert.deepEqual(list(null), []);
  });

  it('that are numbers may be text, bytes or number', () => {
    assert.equal(double('1.5'), 1.5);
    assert.equal(double(bytes('1e+21')), 1e21);
    assert.equal(double(2), 2);
    assert.equal(double('inf'), Number.POSITIVE_INFINITY);
    assert.equal(double(bytes('-inf')), Number.NEGATIVE_INFINITY);
    assert.ok(Number.isNaN(double('nan')));
  });

  it('that are boolean may be number, bigint or boolean', () => {
    assert.deepEqual([1, 1n, true].map(boolean), [true, true, true]);
    assert.deepEqual([0, 0n, false].map(boolean), [false, false, false]);
  });

  it('that are a status are text, also if strings are bytes', () => {
    assert.equal(ok(bytes('OK')), 'OK');
    assert.equal(ok('OK'), 'OK');
    assert.equal(ok(null), null);
  });

  it('keep strings of users as text or bytes, and names as text', () => {
    assert.deepEqual(record([bytes('f'), bytes('v')]), { f: bytes('v') });
    assert.deepEqual(scores([bytes('m'), bytes('2')]), [{ member: bytes('m'), score: 2 }]);
    assert.deepEqual(streamEntries([[bytes('1-0'), [bytes('f'), bytes('v')]]]), [
      { id: '1-0', fields: { f: bytes('v') } },
    ]);
  });

  it('of XREAD may be pairs, Map or a flat list', () => {
    const expected = [{ key: 'x', entries: [{ id: '1-0', fields: { f: 'v' } }] }];
    const entries = [['1-0', ['f', 'v']]];
    assert.deepEqual(streamsRead([['x', entries]]), expected);
    assert.deepEqual(streamsRead(new Map([['x', entries]])), expected);
    assert.deepEqual(streamsRead(['x', entries]), expected);
    assert.equal(streamsRead(null), null);
  });

  it('of GEOSEARCH are distinguished by their types', () => {
    assert.deepEqual(places([[bytes('m'), bytes('1.5'), 9n, [bytes('1'), 2]]]), [
      { member: bytes('m'), distance: 1.5, hash: 9n, position: { longitude: 1, latitude: 2 } },
    ]);
    assert.deepEqual(places([['m', 7]]), [{ member: 'm', hash: 7 }]);
  });

  it('of INFO and CLIENT LIST become objects', () => {
    assert.deepEqual(info('# Server\r\nversion:7\r\n\r\n# Keyspace\r\ndb0:keys=1,expires=0\r\n'), {
      version: '7',
      db0: 'keys=1,expires=0',
    });
    assert.deepEqual(clients(bytes('id=1 name=\nid=2 addr=a:1\n')), [
      { id: '1', name: '' },
      { id: '2', addr: 'a:1' },
    ]);
  });
});
