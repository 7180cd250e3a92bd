/** What a console asks of its store: no more than is shown, and once for all pages that show it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Discovery } from '../../src/console/boards/discovery.js';
import { type Console, console as serveConsole } from '../../src/console/index.js';
import { BOARD_KINDS } from '../../src/kit/boards.js';
import { counters } from '../../src/kit/counters/index.js';
import { defineTask, queue } from '../../src/kit/queue/index.js';
import { type EmbeddedStore, open } from '../../src/store/index.js';

/** How often each command was called so far. */
async function callsIn(store: EmbeddedStore): Promise<ReadonlyMap<string, number>> {
  const info = await store.send<string>('INFO', 'commandstats');
  return new Map(
    [...info.matchAll(/^cmdstat_(.*?):calls=(\d+)/gm)].map(([, name = '', calls]) => [name, Number(calls)]),
  );
}

/** How often the work calls a command. */
async function callsOf(store: EmbeddedStore, command: string, work: () => Promise<unknown>): Promise<number> {
  const before = (await callsIn(store)).get(command) ?? 0;
  await work();
  return ((await callsIn(store)).get(command) ?? 0) - before;
}

async function openStore(keys: number): Promise<EmbeddedStore> {
  const store = await open();
  await store.send('EVAL', "for i = 1, ARGV[1] do redis.call('SET', 'user:' .. i, i) end", 0, keys);
  return store;
}

/** Asks as the page does. */
function asker({ address: whole }: Console) {
  const [address = '', token = ''] = whole.split('#token=');
  const headers = {
    authorization: `Bearer ${token}`,
    'x-sorrel-console': '1',
    'content-type': 'application/json',
  };
  return (path: string, body?: object, signal?: AbortSignal): Promise<Response> =>
    fetch(`${address}api/${path}`, {
      headers,
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
}

const mailTask = defineTask<number>('mail');

describe('The load of a console', () => {
  it('a board of a queue is read without looking for its keys', async () => {
    await using store = await openStore(20_000);
    await queue(store, 'mail').add(mailTask, 1);
    await using served = await serveConsole(store);
    const ask = asker(served);
    const scans = await callsOf(store, 'scan', async () => {
      const response = await ask('boards/view?kind=queue&name=mail');
      assert.equal(response.status, 200);
      await response.text();
    });
    assert.equal(scans, 0);
  });

  it('the keys of a component are looked for once, not whenever its board is read', async () => {
    await using store = await openStore(5_000);
    await counters(store, { precisions: [60] }).count('hits');
    await using served = await serveConsole(store);
    const view = async (): Promise<void> => {
      await (await asker(served)('boards/view?kind=counter&prefix=counter&name=hits')).text();
      await sleep(1_050);
    };
    assert.ok((await callsOf(store, 'scan', view)) > 0);
    assert.equal(await callsOf(store, 'scan', view), 0);
  });

  it('the tasks of a page are read with a few commands, not with some for each', async () => {
    await using store = await open();
    const mail = queue(store, 'mail');
    await mail.addAll(
      mailTask,
      Array.from({ length: 60 }, (_, n) => [n]),
    );
    await mail.list('waiting', { limit: 50 });
    const total = async (): Promise<number> =>
      [...(await callsIn(store)).values()].reduce((a, b) => a + b, 0);
    const before = await total();
    assert.equal((await mail.list('waiting', { limit: 50 })).length, 50);
    assert.ok((await total()) - before < 20, `${(await total()) - before} commands`);
  });

  it('pages that show the same at the same time share what is read, until something is changed', async () => {
    await using store = await open();
    const mail = queue(store, 'mail');
    await mail.add(mailTask, 1);
    await using served = await serveConsole(store);
    const ask = asker(served);
    const place = { kind: 'queue', prefix: 'queue', name: 'mail' };
    const rows = async (): Promise<number> => {
      const response = await ask('boards/rows', { ...place, table: 'waiting' });
      return ((await response.json()) as { rows: unknown[] }).rows.length;
    };
    const reads = await callsOf(store, 'evalsha_ro', async () => {
      for (let tab = 0; tab < 10; tab++) assert.equal(await rows(), 1);
    });
    // The second call is that of the page after it, which is empty.
    assert.ok(reads <= 2, `${reads} scripts for ten tabs`);
    await (await ask('boards/act', { ...place, action: 'add', inputs: { kind: 'mail', data: '2' } })).text();
    assert.equal(await rows(), 2, 'an action shows at once');
  });

  it('the overview takes one sample a second for all tabs', async () => {
    await using store = await open();
    await using served = await serveConsole(store);
    const ask = asker(served);
    const leaving = new AbortController();
    const samples: number[] = [];
    const listen = async (tab: number): Promise<void> => {
      const response = await ask('overview/live', undefined, leaving.signal);
      samples[tab] = 0;
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
        samples[tab] += Buffer.from(chunk).toString().split('event: sample').length - 1;
      }
    };
    const questions = await callsOf(store, 'info', async () => {
      const tabs = [0, 1, 2, 3].map((tab) => listen(tab).catch(() => {}));
      while (samples.length < 4 || samples.some((count) => count < 2)) await sleep(20);
      leaving.abort();
      await Promise.all(tabs);
    });
    // One more INFO is that of the test.
    assert.ok(questions <= Math.max(...samples) + 3, `${questions} questions for ${samples} samples`);
  });

  it('stops taking samples when no page listens', async () => {
    await using store = await open();
    await using served = await serveConsole(store);
    const leaving = new AbortController();
    const response = await asker(served)('overview/live', undefined, leaving.signal);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    leaving.abort();
    await sleep(1_200);
    assert.equal(await callsOf(store, 'latency|histogram', () => sleep(1_500)), 0);
  });
});

describe('The search for components', () => {
  it('goes on where it was stopped, and begins again when it is asked to', async () => {
    await using store = await openStore(3_000);
    const whole = await callsOf(store, 'scan', () =>
      new Discovery(BOARD_KINDS).run(store, new AbortController().signal, async () => {}),
    );
    const discovery = new Discovery(BOARD_KINDS);
    const steps = await callsOf(store, 'scan', async () => {
      for (let part = 0; part < 3 && !discovery.isComplete; part++) {
        const stop = new AbortController();
        setTimeout(() => stop.abort(), 10);
        await discovery.run(store, stop.signal, async () => {});
      }
      await discovery.run(store, new AbortController().signal, async () => {});
    });
    assert.ok(discovery.isComplete);
    assert.ok(steps >= whole && steps <= whole + 3, `${steps} steps instead of ${whole}`);
    const again = await callsOf(store, 'scan', () =>
      discovery.run(store, new AbortController().signal, async () => {}, { again: true }),
    );
    assert.equal(again, whole);
  });

  it('is one for all pages, and goes on when the page that drives it is left', async () => {
    await using store = await openStore(3_000);
    const whole = await callsOf(store, 'scan', () =>
      new Discovery(BOARD_KINDS).run(store, new AbortController().signal, async () => {}),
    );
    const discovery = new Discovery(BOARD_KINDS);
    const leaving = new AbortController();
    const steps = await callsOf(store, 'scan', async () => {
      const { signal } = new AbortController();
      const pages = [signal, signal, leaving.signal].map((one) => discovery.run(store, one, async () => {}));
      await sleep(10);
      leaving.abort();
      await Promise.all(pages);
    });
    assert.ok(discovery.isComplete);
    assert.ok(steps <= whole + 3, `${steps} steps instead of ${whole}`);
  });
});
