import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, it } from 'node:test';
import { type EmbeddedStore, open } from '../../store/index.js';
import { rateLimiter } from '../rate-limiter/index.js';
import {
  type StreamEvent,
  type StreamHandlerOptions,
  type Streaming,
  type StreamingOptions,
  streaming,
} from './index.js';

interface Site extends AsyncDisposable {
  readonly store: EmbeddedStore;
  readonly live: Streaming;
  readonly port: number;
  /** The largest number of bytes that waited for a client. */
  readonly buffered: () => number;
}

async function site(given: StreamHandlerOptions = {}, options: StreamingOptions = {}): Promise<Site> {
  const store = await open();
  const live = streaming(store, 'statuses', options);
  const limiter = rateLimiter(store, { limit: 1_000, per: 1_000 });
  const handle = live.handler({ limiter, ...given });
  let buffered = 0;
  // As many bytes as by default from Node 22 on.
  const server = createServer({ highWaterMark: 65_536 }, (request, response) => {
    const write = response.write.bind(response) as (chunk: Buffer, written: () => void) => boolean;
    response.write = ((chunk: Buffer, written: () => void) => {
      const result = write(chunk, written);
      buffered = Math.max(buffered, response.writableLength);
      return result;
    }) as ServerResponse['write'];
    void handle(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    store,
    live,
    port,
    buffered: () => buffered,
    [Symbol.asyncDispose]: async () => {
      await live.close({ within: 0 });
      server.close();
      server.closeAllConnections();
      await store.close();
    },
  };
}

/** A client, which reads lines. */
class Client {
  readonly response: IncomingMessage;
  #text = '';
  #isOver = false;
  #onData = (): void => {};

  private constructor(response: IncomingMessage) {
    this.response = response;
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      this.#text += chunk;
      this.#onData();
    });
    const end = (): void => {
      this.#isOver = true;
      this.#onData();
    };
    response.on('close', end);
    response.on('error', end);
  }

  static async open({ port }: Site, query = '', headers: Record<string, string> = {}): Promise<Client> {
    const request = get({ port, host: '127.0.0.1', path: `/stream${query}`, headers, agent: false });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return new Client(response);
  }

  /** The text up to this separator; undefined at the end. */
  async part(separator: string): Promise<string | undefined> {
    for (;;) {
      const at = this.#text.indexOf(separator);
      if (at >= 0) {
        const part = this.#text.slice(0, at);
        this.#text = this.#text.slice(at + separator.length);
        return part;
      }
      if (this.#isOver) return undefined;
      await new Promise<void>((resolve) => {
        this.#onData = resolve;
      });
    }
  }

  /** The next event. */
  async event(): Promise<StreamEvent | undefined> {
    for (;;) {
      const line = await this.part('\n');
      if (line === undefined) return undefined;
      if (line !== '') return JSON.parse(line) as StreamEvent;
    }
  }

  async ids(count: number): Promise<string[]> {
    const ids: string[] = [];
    for (let left = count; left > 0; left--) {
      const event = await this.event();
      if (event?.kind === 'message') ids.push(event.message.id);
      else ids.push(event?.kind === 'deletion' ? `-${event.id}` : `${event?.kind}`);
    }
    return ids;
  }

  close(): void {
    this.response.destroy();
  }
}

const message = (id: string, text = 'text', user = 'ann') => ({ id, user, text });

async function idsOf(live: Streaming, filter: object): Promise<string[]> {
  const ids: string[] = [];
  const end = new AbortController();
  for await (const event of live.events({ after: '0-0', filter, signal: end.signal })) {
    if (event.kind === 'message' && event.message.id === 'end') break;
    if (event.kind !== 'gap') ids.push(event.kind === 'message' ? event.message.id : `-${event.id}`);
  }
  return ids;
}

describe('Filters', () => {
  it('track words in any case and order, follow users, and look at places', async () => {
    await using store = await open();
    const live = streaming(store, 'x');
    await live.publish(message('1', 'Redis in TypeScript'));
    await live.publish(message('2', 'Predistribution', 'bob'));
    await live.publish({
      ...message('3', 'JS on #Node!', 'cem'),
      location: { latitude: 37, longitude: -122 },
    });
    await live.publish({ ...message('4', 'ÉLAN', 'dan'), location: { latitude: -17, longitude: 179.5 } });
    await live.publish({ ...message('5', 'far', 'dan'), location: { latitude: -17, longitude: 170 } });
    await live.publish({
      ...message('end', 'redis node js élan', 'ann'),
      location: { latitude: 37, longitude: -122 },
    });
    assert.deepEqual(await idsOf(live, { track: ['redis'] }), ['1']);
    assert.deepEqual(await idsOf(live, { track: ['node js', 'E\u0301lan'] }), ['3', '4']);
    assert.deepEqual(await idsOf(live, { follow: ['bob', 'ann'] }), ['1', '2']);
    const pacific = { west: 178, south: -20, east: -120, north: 40 };
    assert.deepEqual(await idsOf(live, { locations: [pacific] }), ['3', '4']);
    assert.deepEqual(await idsOf(live, { follow: ['bob', 'ann'], track: ['far'] }), ['1', '2', '5']);
    assert.deepEqual(await idsOf(live, {}), ['1', '2', '3', '4', '5']);
  });

  it('sample by the id: the same part for all, and the smaller one within the larger', async () => {
    await using store = await open();
    const live = streaming(store, 'x');
    for (let i = 0; i < 1_000; i++) await live.publish(message(`id ${i}`));
    await live.publish(message('end', 'last', 'zoe'));
    const sampleOf = async (sample: number): Promise<string[]> => {
      const ids: string[] = [];
      const all = live.events({ after: '0-0', filter: { sample } });
      const until = new Set(['id 999', 'id 998', 'id 997', 'id 996']);
      for await (const event of all) {
        if (event.kind === 'message') ids.push(event.message.id);
        if (ids.length > 60 || until.has(ids.at(-1) as string)) break;
      }
      return ids;
    };
    const [tenth, again, half] = [await sampleOf(0.1), await sampleOf(0.1), await sampleOf(0.5)];
    assert.deepEqual(tenth, again);
    const whole = new Set(half);
    const last = Number(half.at(-1)?.slice(3));
    for (const id of tenth) if (Number(id.slice(3)) <= last) assert.ok(whole.has(id), id);
    assert.ok(Number(tenth[50]?.slice(3)) > 350 && Number(tenth[50]?.slice(3)) < 700, `${tenth[50]}`);
    assert.ok(last > 90 && last < 160, `${last}`);
  });

  it('let a deletion pass where they let the message pass', async () => {
    await using store = await open();
    const live = streaming(store, 'x');
    await live.publish(message('1', 'redis'));
    await live.publish(message('2', 'other'));
    for (const id of ['1', '2', 'unknown']) await live.retract(id, 'ann');
    await live.publish(message('end', 'redis'));
    assert.deepEqual(await idsOf(live, { track: ['redis'] }), ['1', '-1', '-unknown']);
    assert.deepEqual(await idsOf(live, { follow: ['bob', 'ann'], track: ['x'] }), [
      '1',
      '2',
      '-1',
      '-2',
      '-unknown',
    ]);
    const body = ((await store.send('XRANGE', 'streaming:{x}:events', '-', '+')) as unknown[]).length;
    assert.equal(body, 6);
  });
});

describe('Publishing', () => {
  it('happens once for a message and its deletion, in any order', async () => {
    await using store = await open();
    const live = streaming(store, 'x', { keep: 3 });
    assert.deepEqual([await live.publish(message('1')), await live.publish(message('1'))], [true, false]);
    assert.deepEqual([await live.retract('1', 'ann'), await live.retract('1', 'ann')], [true, false]);
    assert.equal(await live.publish(message('1')), false, 'it was deleted');
    assert.equal(await live.retract('2', 'ann'), true);
    assert.equal(await live.publish(message('2')), false, 'its deletion came first');
    for (let i = 0; i < 10; i++) await live.publish(message(`m${i}`));
    assert.equal(await store.send('ZCARD', 'streaming:{x}:known'), 3);
    assert.equal(await store.send('HLEN', 'streaming:{x}:places'), 3);
  });

  it('refuses what is not a message', async () => {
    await using store = await open();
    const live = streaming(store, 'x', { maxMessage: 200 });
    await assert.rejects(live.publish({ ...message('1'), txt: 1 } as never), {
      code: 'OPTION',
      message: /no option 'txt'/,
    });
    await assert.rejects(live.publish(message('', 'x')), { code: 'OPTION' });
    await assert.rejects(live.publish({ ...message('1'), location: { latitude: 91, longitude: 0 } }), {
      code: 'OPTION',
    });
    await assert.rejects(live.publish(message('1', 'x'.repeat(200))), {
      code: 'OPTION',
      message: /maxMessage/,
    });
    await assert.rejects(live.publish({ ...message('1'), data: 5n }), { code: 'OPTION' });
    assert.equal(await store.send('EXISTS', 'streaming:{x}:events'), 0);
  });
});

describe('The HTTP endpoint', () => {
  it('sends one JSON event a line, from now on or after a position', async () => {
    await using on = await site();
    await on.live.publish(message('0'));
    const client = await Client.open(on);
    assert.equal(client.response.headers['content-type'], 'application/x-ndjson; charset=utf-8');
    await on.live.publish({ ...message('1', 'a\nb "é"'), data: { n: 1 } });
    const event = await client.event();
    assert.deepEqual(event, {
      kind: 'message',
      position: event?.position,
      message: { id: '1', user: 'ann', text: 'a\nb "é"', data: { n: 1 } },
    });
    await on.live.retract('1', 'ann');
    assert.deepEqual(await client.ids(1), ['-1']);
    client.close();
    const later = await Client.open(on, `?after=${event?.position}`);
    assert.deepEqual(await later.ids(1), ['-1'], 'it goes on after the position');
    const all = await Client.open(on, '', { 'last-event-id': '0-0' });
    assert.deepEqual(await all.ids(3), ['0', '1', '-1']);
  });

  it('sends Server-Sent Events with ids', async () => {
    await using on = await site();
    const client = await Client.open(on, '?track=hello', { accept: 'text/event-stream' });
    assert.equal(client.response.headers['content-type'], 'text/event-stream; charset=utf-8');
    await on.live.publish(message('1', 'hello'));
    await on.live.publish(message('2', 'other'));
    await on.live.retract('1', 'ann');
    const [, id, json] = /^id: (\d+-\d+)\ndata: (.*)$/.exec((await client.part('\n\n')) as string) ?? [];
    assert.equal((JSON.parse(json as string) as { position: string }).position, id);
    assert.match(
      (await client.part('\n\n')) as string,
      /^id: \d+-\d+\nevent: deletion\ndata: \{"kind":"deletion"/,
    );
  });

  it('misses nothing and repeats nothing while a client catches up', async () => {
    await using on = await site();
    for (let i = 0; i < 1_200; i++) await on.live.publish(message(`${i}`));
    const [first, client] = [await Client.open(on), await Client.open(on, '?after=0-0')];
    for (let i = 1_200; i < 1_500; i++) await on.live.publish(message(`${i}`));
    assert.deepEqual(
      await client.ids(1_500),
      Array.from({ length: 1_500 }, (_, i) => `${i}`),
    );
    assert.deepEqual((await first.ids(300))[0], '1200');
  });

  it('tells a client that comes back too late that events are missing', async () => {
    await using on = await site({}, { keep: 1 });
    const first = await Client.open(on);
    await on.live.publish(message('0'));
    const position = (await first.event())?.position as string;
    for (let i = 1; i < 300; i++) await on.live.publish(message(`${i}`));
    const kept = (await on.store.send('XLEN', 'streaming:{statuses}:events')) as number;
    assert.ok(kept < 299, `${kept} are kept`);
    const late = await Client.open(on, `?after=${position}`);
    assert.deepEqual(await late.ids(2), ['gap', `${300 - kept}`]);
    await on.store.send('DEL', 'streaming:{statuses}:events');
    assert.equal((await (await Client.open(on, '?after=99999999999999-0')).event())?.kind, 'gap');
  });

  it('sends heartbeats while nothing happens', async () => {
    await using on = await site({ heartbeat: 10 });
    assert.equal(await (await Client.open(on)).part('\n'), '');
    assert.equal(await (await Client.open(on, '', { accept: 'text/event-stream' })).part('\n\n'), ':');
  });

  it('refuses wrong requests, unknown clients and those with too many connections', async () => {
    await using on = await site({
      identify: (request) => request.headers.authorization,
      maxPerClient: 2,
      maxTrack: 2,
    });
    const headers = { authorization: 'ann' };
    const statusOf = async (query: string, given: Record<string, string> = headers): Promise<unknown[]> => {
      const client = await Client.open(on, query, given);
      const body = await client.part('}');
      return [client.response.statusCode, body];
    };
    for (const [query, text] of [
      ['?trakc=x', /no parameter 'trakc'/],
      ['?sample=2', /above 0 and up to 1/],
      ['?sample=', /above 0/],
      ['?track=a,b,c', /at most 2/],
      ['?track=!', /each with a word/],
      ['?locations=1,2,3', /four numbers/],
      ['?locations=1,2,3,-4', /boxes/],
      ['?after=yesterday', /position/],
    ] as const) {
      const [status, body] = await statusOf(query);
      assert.equal(status, 400, query);
      assert.match(body as string, text);
    }
    assert.equal((await statusOf('', {}))[0], 401);
    const post = await fetch(`http://127.0.0.1:${on.port}/`, { method: 'POST' });
    assert.deepEqual([post.status, post.headers.get('allow')], [405, 'GET']);
    const held = [await Client.open(on, '', headers), await Client.open(on, '', headers)];
    const [status, body] = await statusOf('');
    assert.equal(status, 429, `${body}`);
    assert.equal((await Client.open(on, '', { authorization: 'bob' })).response.statusCode, 200);
    held[0]?.close();
    for (let tries = 0; (await Client.open(on, '', headers)).response.statusCode !== 200; tries++)
      assert.ok(tries < 500);
  });

  it('limits how often a client connects', async () => {
    await using on = await site({ limiter: rateLimiter(await open(), { limit: 2, per: 60_000 }) });
    const statuses: unknown[] = [];
    for (let i = 0; i < 3; i++) {
      const client = await Client.open(on);
      statuses.push(client.response.statusCode);
      if (i === 2) assert.ok(Number(client.response.headers['retry-after']) > 0);
      client.close();
    }
    assert.deepEqual(statuses, [200, 200, 429]);
  });

  it('drops a client that does not read, before too much waits for it; others go on', async () => {
    const dropped: string[] = [];
    const [maxBuffered, maxMessage] = [64_000, 20_000];
    await using on = await site({ maxBuffered, onDropped: (name) => dropped.push(name) }, { maxMessage });
    const reader = await Client.open(on);
    const sleeper = connect(on.port, '127.0.0.1');
    sleeper.pause();
    sleeper.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    while (on.live.connections < 2) await new Promise(setImmediate);
    let sent = 0;
    for (; dropped.length === 0; sent++) {
      assert.ok(sent < 10_000, 'it is dropped');
      await on.live.publish(message(`${sent}`, 'x'.repeat(10_000)));
      assert.deepEqual(await reader.ids(1), [`${sent}`]);
    }
    assert.deepEqual(dropped, ['127.0.0.1']);
    assert.ok(on.buffered() <= maxBuffered, `${on.buffered()} bytes waited`);
    while (on.live.connections > 1) await new Promise(setImmediate);
    await on.live.publish(message('after'));
    assert.deepEqual(await reader.ids(1), ['after']);
    sleeper.destroy();
  });

  it('lets a slow client that reads the past set the pace', async () => {
    const maxBuffered = 64_000;
    await using on = await site({ maxBuffered }, { maxMessage: 20_000 });
    for (let i = 0; i < 1_500; i++) await on.live.publish(message(`${i}`, 'x'.repeat(10_000)));
    const client = await Client.open(on, '?after=0-0');
    const ids: string[] = [];
    while (ids.length < 1_500) {
      ids.push(...(await client.ids(10)));
      client.response.pause();
      await new Promise(setImmediate);
      client.response.resume();
    }
    assert.equal(ids.at(-1), '1499');
    assert.ok(on.buffered() > 10_000 && on.buffered() <= maxBuffered, `${on.buffered()} bytes waited`);
  });

  it('drops a client that asks for the past and takes nothing', async () => {
    const dropped: string[] = [];
    const maxBuffered = 64_000;
    const onDropped = (name: string): void => void dropped.push(name);
    await using on = await site({ maxBuffered, patience: 20, onDropped }, { maxMessage: 20_000 });
    for (let i = 0; i < 1_000; i++) await on.live.publish(message(`${i}`, 'x'.repeat(10_000)));
    const sleeper = connect(on.port, '127.0.0.1');
    sleeper.pause();
    sleeper.write('GET /?after=0-0 HTTP/1.1\r\nHost: x\r\n\r\n');
    while (dropped.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.ok(on.buffered() <= maxBuffered, `${on.buffered()} bytes waited`);
    sleeper.destroy();
  });

  it('ends with the stream, and with the store', async () => {
    await using on = await site();
    const clients = [await Client.open(on), await Client.open(on, '', { accept: 'text/event-stream' })];
    await on.live.close();
    for (const client of clients) assert.equal(await client.part('\n'), undefined);
    assert.equal((await Client.open(on)).response.statusCode, 503);
    assert.equal(on.live.connections, 0);

    await using other = await site();
    const client = await Client.open(other);
    while (other.live.connections === 0) await new Promise(setImmediate);
    await other.store.close();
    assert.equal(await client.part('\n'), undefined);
  });
});

describe('A loop over events', () => {
  it('ends with its signal', async () => {
    await using store = await open();
    const live = streaming(store, 'x');
    const end = new AbortController();
    const loop = (async () => {
      for await (const _ of live.events({ signal: end.signal })) assert.fail('nothing was published');
    })();
    end.abort();
    await loop;
    assert.throws(() => live.events({ after: 'x' }), { code: 'OPTION' });
    assert.throws(() => live.events({ filter: { trak: ['x'] } as never }), {
      code: 'OPTION',
      message: /did you mean 'track'/,
    });
  });
});
