import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, afterEach, before, describe, it } from 'node:test';
import { encode, plain, RawClient } from '../oracle/support/index.js';
import { GuardedServer } from './support/guarded-server.js';

const MEGABYTE = 1 << 20;

describe('A server with clients that use memory without limit', { timeout: 600_000 }, () => {
  let guarded: GuardedServer;
  const open: { destroy(): void }[] = [];

  before(async () => {
    guarded = await GuardedServer.start();
  });
  after(() => guarded.stop());

  afterEach(async () => {
    for (const each of open.splice(0)) each.destroy();
    await untilClients(1);
    await guarded.ask('FLUSHALL');
    await guarded.ask('CONFIG SET client-output-buffer-limit "normal 0 0 0 pubsub 33554432 8388608 60"');
    await guarded.assertWell('afterwards');
  });

  /** The number of clients of the server; a connection may be open before the server has accepted it. */
  async function untilClients(count: number): Promise<void> {
    const isSo = async () => (await guarded.figure('connected_clients')) === count;
    await guarded.until(isSo, `${count} clients`);
  }

  async function socket(): Promise<Socket> {
    const made = await guarded.socket();
    open.push(made);
    return made;
  }

  async function storeMegabyte(): Promise<void> {
    const client = await RawClient.connect(guarded.server.port);
    assert.equal(plain(await client.call(['SET', 'large', Buffer.alloc(MEGABYTE, 'x')])), 'OK');
    client.close();
  }

  /** Unsent bytes of the clients with this name. */
  async function waiting(name: string): Promise<number> {
    const lines = (await guarded.ask('CLIENT LIST')).split('\n');
    return lines
      .filter((line) => line.includes(` name=${name} `))
      .reduce((sum, line) => sum + Number(/ omem=(\d+)/.exec(line)?.[1]), 0);
  }

  it('delays the commands of a client while it does not read its replies', async () => {
    await storeMegabyte();
    const greedy = await socket();
    greedy.pause();
    greedy.write(encode('CLIENT SETNAME greedy'));
    greedy.write(Buffer.concat(Array.from({ length: 300 }, () => encode('GET large'))));
    greedy.write(encode('SET last one'));
    await guarded.until(async () => (await waiting('greedy')) > 16 * MEGABYTE, 'replies to pile up');
    await guarded.assertWell('with the greedy client');
    assert.ok((await waiting('greedy')) < 64 * MEGABYTE);
    assert.equal(await guarded.ask('EXISTS last'), '0', 'it has not run yet');
    // All replies arrive as soon as the client reads.
    const reply = MEGABYTE + '$1048576\r\n\r\n'.length;
    const expected = '+OK\r\n'.length + 300 * reply + '+OK\r\n'.length;
    let received = 0;
    await new Promise<void>((resolve) => {
      greedy.on('data', (chunk: Buffer) => {
        received += chunk.length;
        if (received >= expected) resolve();
      });
      greedy.resume();
    });
    assert.equal(received, expected);
    assert.equal(await guarded.ask('GET last'), 'one');
  });

  it('drops such a client at the limit, if there is one', async () => {
    await storeMegabyte();
    for (const limit of ['normal 10mb 0 0', 'normal 0 5mb 1']) {
      await guarded.ask(`CONFIG SET client-output-buffer-limit "${limit}"`);
      const greedy = await socket();
      greedy.pause();
      const closed = new Promise((resolve) => greedy.once('close', resolve));
      await untilClients(2);
      greedy.write(Buffer.concat(Array.from({ length: 300 }, () => encode('GET large'))));
      await untilClients(1);
      greedy.resume();
      await closed;
    }
    assert.ok((await guarded.residentMegabytes()) < 500);
  });

  it('drops a subscriber that does not read, and keeps those that do', async () => {
    await guarded.ask('CONFIG SET client-output-buffer-limit "pubsub 4mb 0 0"');
    const slow = await socket();
    slow.pause();
    slow.write(encode('SUBSCRIBE news'));
    const quick = await RawClient.connect(guarded.server.port);
    open.push({ destroy: () => quick.close() });
    await quick.call('SUBSCRIBE news');
    await guarded.until(
      async () => (await guarded.ask('PUBSUB NUMSUB news')) === 'news,2',
      'both to subscribe',
    );
    const publisher = await RawClient.connect(guarded.server.port);
    open.push({ destroy: () => publisher.close() });
    const message = Buffer.alloc(100_000, 'm');
    let published = 0;
    for (; published < 1000; published++) {
      const receivers = plain(await publisher.call(['PUBLISH', 'news', message]));
      await quick.next();
      if (receivers === 1) break;
    }
    assert.ok(published < 1000, 'the slow subscriber was dropped');
    assert.equal(quick.closed, false);
    assert.equal(await guarded.ask('PUBSUB NUMSUB news'), 'news,1');
  });

  it('does not allocate the announced length of an argument that is never sent', async () => {
    const before = await guarded.residentMegabytes();
    for (let i = 0; i < 200; i++) {
      (await socket()).write('*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$536870912\r\nx');
    }
    await untilClients(201);
    await guarded.assertWell('with large promises');
    const grown = (await guarded.residentMegabytes()) - before;
    assert.ok(grown < 100, `${grown} MB for 200 clients`);
    const largest = await guarded.figure('client_recent_max_input_buffer');
    assert.ok(largest <= 2 * MEGABYTE, `${largest} bytes for one`);
  });

  it('accepts a large argument, and frees the memory', async () => {
    const client = await RawClient.connect(guarded.server.port);
    open.push({ destroy: () => client.close() });
    const value = Buffer.alloc(64 * MEGABYTE, 'v');
    assert.equal(plain(await client.call(['SET', 'huge', value], 30_000)), 'OK');
    assert.equal(await guarded.ask('STRLEN huge'), String(value.length));
    assert.ok((await guarded.figure('client_recent_max_input_buffer')) < MEGABYTE);
  });

  it('buffers a million small arguments without much overhead', async () => {
    const before = await guarded.residentMegabytes();
    const client = await RawClient.connect(guarded.server.port);
    open.push({ destroy: () => client.close() });
    client.sendRaw('*1000000\r\n$3\r\nDEL\r\n');
    await guarded.assertWell('with a million announced');
    assert.ok((await guarded.residentMegabytes()) - before < 50, 'no argument was sent yet');
    const few = Buffer.from('$1\r\nk\r\n'.repeat(9_999));
    client.sendRaw(few);
    await guarded.assertWell('with some of them');
    for (let i = 1; i < 100; i++) client.sendRaw(few);
    client.sendRaw('$1\r\nk\r\n'.repeat(99));
    assert.equal(plain(await client.next(30_000)), 0);
  });

  it('closes a client whose unfinished request exceeds the limit', async () => {
    await guarded.ask('CONFIG SET client-query-buffer-limit 1mb');
    const endless = await socket();
    const closed = new Promise((resolve) => endless.once('close', resolve));
    endless.resume();
    const write = (): void => {
      while (!endless.destroyed && endless.write(Buffer.alloc(1 << 16, 'x')));
    };
    endless.on('drain', write);
    endless.write('*2\r\n$4\r\nECHO\r\n$100000000\r\n');
    write();
    await closed;
    await guarded.ask('CONFIG SET client-query-buffer-limit 1gb');
  });

  it('uses little memory for idle connections', async () => {
    const count = 4000;
    const before = await guarded.residentMegabytes();
    for (let made = 0; made < count; made += 100) {
      await Promise.all(Array.from({ length: 100 }, socket));
    }
    await untilClients(count + 1);
    const kilobytes = (((await guarded.residentMegabytes()) - before) * 1024) / count;
    assert.ok(kilobytes < 25, `${kilobytes} KB each`);
    await guarded.assertWell('with idle clients');
  });

  it('frees clients that disconnect during a request, a wait or a transaction', async () => {
    const beginnings = [
      '*2\r\n$4\r\nECHO\r\n$100\r\nx',
      encode('BLPOP nothing 0'),
      Buffer.concat([encode('MULTI'), encode('SET k v')]),
      Buffer.concat([encode('WATCH k'), encode('MULTI')]),
      encode('SUBSCRIBE c d e'),
      encode('MONITOR'),
      encode('CLIENT TRACKING on BCAST'),
    ];
    for (let i = 0; i < 70; i++) (await socket()).write(beginnings[i % beginnings.length] as Buffer);
    await untilClients(71);
    for (const each of open.splice(0)) each.destroy();
    await untilClients(1);
    for (const name of ['blocked_clients', 'tracking_clients', 'pubsub_channels']) {
      assert.equal(await guarded.figure(name), 0, name);
    }
  });
});
