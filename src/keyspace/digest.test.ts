import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Bytes } from '../bytes/bytes.js';
import { ManualClock } from '../bytes/clock.js';
import { seededRandom } from '../bytes/random.js';
import type { Database } from './database.js';
import { keyspaceDigest, NO_VALUE_DIGEST, valueDigest } from './digest.js';
import { NO_ENTRY } from './entry.js';
import { Keyspace } from './keyspace.js';
import { HashValue } from './values/hash-value.js';
import { ListValue } from './values/list-value.js';
import { SetValue } from './values/set-value.js';
import { SortedSetValue } from './values/sorted-set-value.js';
import { setString } from './values/string-value.js';

function newKeyspace(): Keyspace {
  return new Keyspace({ databases: 4, clock: new ManualClock(), random: seededRandom(1) });
}

/** One key of every type: the data that redis-server computed the digest below for. */
function fill(keyspace: Keyspace, db: Database): void {
  const text = Bytes.of;
  const expiring = setString(keyspace, db, NO_ENTRY, text('a'), text('hello'));
  db.expiries.set(expiring, keyspace.now + 1_000_000);
  setString(keyspace, db, NO_ENTRY, text('n'), text('12'));
  setString(keyspace, db, NO_ENTRY, text('big'), text('99999999999999'));
  const list = new ListValue().open(keyspace, db, ListValue.create(keyspace, db, text('l'), 1));
  for (const element of ['a', 'b', '3']) list.pushTail(text(element));
  const integers = new SetValue().create(keyspace, db, text('s'));
  for (const member of ['1', '2', '3']) integers.add(text(member));
  const words = new SetValue().create(keyspace, db, text('t'));
  for (const member of ['a', 'b', '3']) words.add(text(member));
  const sortedSet = new SortedSetValue().create(keyspace, db, text('z'));
  sortedSet.add(text('a'), 1);
  sortedSet.add(text('b'), 2.5);
  sortedSet.add(text('c'), Number.NEGATIVE_INFINITY);
  const hash = new HashValue().create(keyspace, db, text('h'));
  hash.set(text('f'), text('v'));
  hash.set(text('g'), text('2'));
}

test('the digest of a keyspace is the one redis-server computes', () => {
  const keyspace = newKeyspace();
  assert.equal(keyspaceDigest(keyspace), '0'.repeat(40));
  fill(keyspace, keyspace.databases[0]!);
  setString(keyspace, keyspace.databases[3]!, NO_ENTRY, Bytes.of('x'), Bytes.of('y'));
  assert.equal(keyspaceDigest(keyspace), '7496fa352684672fdb3f017555020dcc103608c5');
});

test('the digest of a value does not depend on its key or its encoding', () => {
  const keyspace = newKeyspace();
  const [first, other] = keyspace.databases as [Database, Database];
  fill(keyspace, first);
  keyspace.limits.hashMaxListpackEntries = 0;
  keyspace.limits.setMaxIntsetEntries = 0;
  keyspace.limits.zsetMaxListpackEntries = 0;
  keyspace.limits.listMaxListpackSize = 1;
  fill(keyspace, other);
  for (const key of ['a', 'n', 'big', 'l', 's', 't', 'z', 'h']) {
    const digests = [first, other].map((db) => valueDigest(keyspace, db, db.find(Bytes.of(key))));
    assert.equal(digests[0], digests[1], key);
    assert.notEqual(digests[0], NO_VALUE_DIGEST);
  }
});
