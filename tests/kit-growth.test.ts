import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { defineTask, queue } from '../src/kit/queue/index.js';
import { type EmbeddedStore, ManualClock, open } from '../src/store/index.js';
import { USES } from './support/kit-uses.js';

const note = defineTask<string>('note');

/** A row of the table of keys in a component's README. */
interface KeyRow {
  readonly pattern: RegExp;
  /** Its last column: begins with `expires` if the key has a time to live. */
  readonly stays: string;
}

/** `{name}` in a key stands for any name; a part in capitals for any text. */
function rowsOf(component: string): KeyRow[] {
  const page = readFileSync(new URL(`../src/kit/${component}/README.md`, import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `([^`]+\{\w+\}:[^`]+)` \|(?:.*\|)? ([^|]+) \|$/gm)];
  return rows.map(([, key = '', stays = '']) => ({
    pattern: new RegExp(`^${key.replace(/\{\w+\}/, '\\{.+\\}').replace(/:[A-Z]+$/, ':.+')}$`),
    stays,
  }));
}

async function keysIn(store: EmbeddedStore): Promise<string[]> {
  return ((await store.send('KEYS', '*')) as string[]).sort();
}

/** Every key is in the table, and has a time to live if the table says so. */
async function check(store: EmbeddedStore, component: string): Promise<string[]> {
  const rows = rowsOf(component);
  assert.ok(rows.length > 0, 'the README has a table of keys');
  const keys = await keysIn(store);
  for (const key of keys) {
    const row = rows.find(({ pattern }) => pattern.test(key));
    assert.ok(row !== undefined, `${key} is not in the README of ${component}`);
    const ttl = await store.send<number>('PTTL', key);
    const expires = row.stays.startsWith('expires');
    assert.equal(ttl >= 0, expires, `${key} has the time to live ${ttl}, and the README says: ${row.stays}`);
  }
  return keys;
}

describe('The keys of components are those that their READMEs list', () => {
  for (const [component, { run, left }] of Object.entries(USES)) {
    it(component, async () => {
      const clock = new ManualClock(Date.UTC(2024, 0, 1));
      await using store = await open('memory:', { clock });
      await run(store, clock, () => check(store, component));
      await check(store, component);
      await clock.run(7 * 86_400_000);
      assert.deepEqual(await check(store, component), left);
    });
  }
});

it('an idle queue that is used again has its events, and a time to live for them', async () => {
  const clock = new ManualClock(Date.UTC(2024, 0, 1));
  await using store = await open('memory:', { clock });
  const mail = queue(store, 'mail');
  for (let day = 0; day < 3; day++) {
    await mail.add(note, 'x');
    assert.equal(await store.send('EXISTS', 'queue:{mail}:events'), 1);
    assert.ok((await store.send<number>('PTTL', 'queue:{mail}:events')) > 86_000_000);
    await clock.run(2 * 86_400_000);
    assert.equal(await store.send('EXISTS', 'queue:{mail}:events'), 0);
  }
});
