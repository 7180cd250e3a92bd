import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock, open, type Store } from '../../store/index.js';
import { EvictionGuard } from '../foundation/index.js';
import { defineTask, queue } from './index.js';
import { bindScripts, keyList, keysOf } from './lua/scripts.js';

const keys = keysOf('queue', 'mail');
/** As if nothing were said about eviction. */
const QUIET = { requireNoEviction: false, onWarning: undefined };

const RECORD = '{"n":"note"}\n"text"';

function plainAdder(store: Store, sender: string) {
  const { meta, tasks, waiting, wake, events } = keys;
  const { addPlain } = bindScripts(store, new EvictionGuard(store, 'queue', QUIET));
  return (call: string, records: readonly string[]) =>
    addPlain({ meta, tasks, waiting, wake, events, call, sender, bound: 100, renews: '0', records });
}

test('a call that a client sends twice adds once, and the answer is the same', async () => {
  await using store = await open('memory:', { clock: new ManualClock(Date.UTC(2024, 0, 1)) });
  const mail = queue(store, 'mail');
  const add = plainAdder(store, 'ann');
  const first = await add('1', [RECORD, RECORD]);
  assert.equal(await add('1', [RECORD, RECORD]), first);
  assert.equal((await mail.counts()).waiting, 2);
  assert.notEqual(await add('2', [RECORD]), first);
  assert.equal((await mail.counts()).waiting, 3);

  const { add: addSpecial } = bindScripts(store, new EvictionGuard(store, 'queue', QUIET));
  const entries = [RECORD, '{"k":"once"}', RECORD, '', RECORD, '{"k":"once"}'];
  const inputs = {
    keys: keyList(keys),
    call: '3',
    sender: 'ann',
    bound: 100,
    renews: '0',
    keepDead: 100,
    parent: '',
    entries,
  };
  const ids = await addSpecial(inputs);
  assert.deepEqual(await addSpecial(inputs), ids);
  assert.equal((ids as string[])[2], `=${(ids as string[])[0]}`);
  assert.equal((await mail.counts()).waiting, 5);
});

test('receipts of senders that are gone do not pile up', async () => {
  const clock = new ManualClock(Date.UTC(2024, 0, 1));
  await using store = await open('memory:', { clock });
  const receipts = async (): Promise<number> =>
    ((await store.send('HKEYS', keys.meta)) as string[]).filter((field) => field.startsWith('receipt:'))
      .length;
  const stays = plainAdder(store, 'stays');
  for (let minute = 0; minute < 20; minute++) {
    for (let i = 0; i < 100; i++) await plainAdder(store, `${minute}:${i}`)('1', [RECORD]);
    await stays(String(minute), [RECORD]);
    assert.ok((await receipts()) <= 401, `${await receipts()} receipts after ${minute} minutes`);
    await clock.advance(90_000);
  }
  const first = await stays('20', [RECORD]);
  await plainAdder(store, 'another')('1', [RECORD]);
  assert.equal(await stays('20', [RECORD]), first);
});

test('ids stay in order while the clock stands still, however tasks are added', async () => {
  const clock = new ManualClock(Date.UTC(2024, 0, 1));
  await using store = await open('memory:', { clock });
  const mail = queue(store, 'mail');
  const note = defineTask<string>('note');
  const ids: string[] = [];
  for (const options of [undefined, { priority: 1 }, undefined, { delay: 5 }]) {
    ids.push((await mail.add(note, 'x', options)).id);
    for (const task of await mail.addAll(note, [['y'], ['z', options ?? {}]])) ids.push(task.id);
    for (const task of await mail.addAll(note, [['y'], ['z']])) ids.push(task.id);
  }
  assert.deepEqual(ids, [...new Set(ids)].sort());
  assert.ok(ids.every((id) => id.length === 16));
  for (const id of ids) assert.equal((await mail.get(id))?.id, id);
});
