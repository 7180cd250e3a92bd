import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, describe, it } from 'node:test';
import { type RunningServer, type ServeOptions, serve } from '../../src/server/index.js';
import {
  ask,
  type Server,
  startSorrelWithSocket,
  stopAllServers,
  whenRedisIsInstalled,
} from '../support/fleet/index.js';
import { freePort } from '../support/fleet/server-process.js';
import { follow, QUICK, replicationOf, startServer, until, untilEqual, untilUp } from './support.js';

after(stopAllServers);

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

/** A server of ours in this process, which can be started again with the same port and folder. */
class Ours {
  readonly port: number;
  readonly directory = mkdtempSync(join(tmpdir(), 'sorrel-replication-'));
  readonly name = 'sorrel';
  readonly #options: ServeOptions;
  #running!: RunningServer;

  private constructor(port: number, options: ServeOptions) {
    this.port = port;
    this.#options = options;
    folders.push(this.directory);
  }

  static async start(options: ServeOptions = {}): Promise<Ours & Server> {
    const ours = new Ours(await freePort(), options);
    await ours.start();
    return ours as unknown as Ours & Server;
  }

  /** `options` are added to those of the first start. */
  async start(options: ServeOptions = {}): Promise<void> {
    this.#running = await serve({
      port: this.port,
      dir: this.directory,
      save: '3600 1',
      'repl-diskless-sync-delay': 0,
      'repl-ping-replica-period': 3600,
      'enable-debug-command': 'yes',
      ...this.#options,
      ...options,
    });
  }

  /** Saves the data and stops. */
  async stop(): Promise<void> {
    await this.#running.close();
  }
}

async function syncs(server: Server): Promise<readonly [full: number, partial: number]> {
  const info = await replicationOf(server.port);
  return [Number(info.get('sync_full')), Number(info.get('sync_partial_ok'))];
}

describe('a snapshot that is sent while it is taken', whenRedisIsInstalled, () => {
  it('is shown as a background save', async () => {
    const master = await Ours.start({ 'rdb-key-save-delay': 1_000_000, save: '' });
    const replica = await startServer('redis');
    const isSaving = async (): Promise<boolean> =>
      /rdb_bgsave_in_progress:1\r/.test(String(await ask(master.port, 'INFO', 'persistence')));
    try {
      await ask(master.port, 'MSET', ...Array.from({ length: 200 }, (_, i) => `key:${i}`));
      assert.equal(await isSaving(), false);
      await follow(replica, master.port);
      await until('it is shown', isSaving, (saves) => saves);
      await ask(master.port, 'CONFIG', 'SET', 'rdb-key-save-delay', '0');
      await untilUp(replica);
      await until('it is over', isSaving, (saves) => !saves);
    } finally {
      await Promise.all([master.stop(), replica.stop()]);
    }
  });
});

it('a snapshot is shown as a background save until its last byte is sent', async () => {
  const master = await startSorrelWithSocket([...QUICK, '--rdbcompression', 'no']);
  const isSaving = async (): Promise<boolean> =>
    /rdb_bgsave_in_progress:1\r/.test(String(await ask(master.port, 'INFO', 'persistence')));
  try {
    // More than such a socket takes, and little enough for all of it to wait there or in the server.
    await ask(master.port, 'SET', 'key', 'x'.repeat(400_000));
    const replica = connect(master.socketPath);
    replica.pause();
    replica.write('REPLCONF capa eof\r\nPSYNC ? -1\r\n');
    await until('it has begun', isSaving, (saves) => saves);
    for (let questions = 0; questions < 20; questions++) assert.ok(await isSaving());
    replica.resume();
    await until('it is over', isSaving, (saves) => !saves);
    replica.destroy();
  } finally {
    await master.stop();
  }
});

describe('a snapshot in a file', whenRedisIsInstalled, () => {
  it('is sent with repl-diskless-sync no, and removed with rdb-del-sync-files yes', async () => {
    for (const removes of ['no', 'yes']) {
      const master = await Ours.start({
        'repl-diskless-sync': 'no',
        'rdb-del-sync-files': removes,
        save: '',
      });
      const replicas = await Promise.all([startServer('redis'), startServer('sorrel')]);
      try {
        await ask(master.port, 'MSET', ...Array.from({ length: 100 }, (_, i) => `${i}`.repeat(5000)));
        for (const replica of replicas) await follow(replica, master.port);
        for (const replica of replicas) await untilUp(replica);
        await ask(master.port, 'SET', 'after', 'sync');
        await untilEqual(master, ...replicas);
        assert.equal(existsSync(join(master.directory, 'dump.rdb')), removes === 'no');
      } finally {
        await Promise.all([master.stop(), ...replicas.map((replica) => replica.stop())]);
      }
    }
  });
});

describe('after a restart', whenRedisIsInstalled, () => {
  it('our replica continues where it was', async () => {
    const master = await startServer('redis');
    const replica = await Ours.start({ replicaof: `127.0.0.1 ${master.port}` });
    try {
      await untilUp(replica);
      await ask(master.port, 'EVAL', "redis.call('SELECT', 3) redis.call('SET', 'a', 1)", '0');
      await untilEqual(master, replica);
      await replica.stop();
      await ask(master.port, 'EVAL', "redis.call('SELECT', 3) redis.call('SET', 'b', 2)", '0');
      await replica.start();
      await untilUp(replica);
      await untilEqual(master, replica);
      assert.deepEqual(await syncs(master), [1, 1]);
    } finally {
      await Promise.all([replica.stop(), master.stop()]);
    }
  });

  it('our master is continued by its replicas, which are told of keys that expired meanwhile', async () => {
    const master = await Ours.start();
    const replicas = await Promise.all([startServer('redis'), startServer('sorrel')]);
    try {
      for (const replica of replicas) await follow(replica, master.port);
      for (const replica of replicas) await untilUp(replica);
      await ask(master.port, 'SET', 'key', 'value');
      await ask(master.port, 'SET', 'short', 'value', 'PX', '300');
      await untilEqual(master, ...replicas);
      await master.stop();
      await new Promise((resolve) => setTimeout(resolve, 350));
      await master.start();
      assert.match(String(await ask(master.port, 'INFO', 'persistence')), /rdb_last_load_keys_expired:1\r/);
      for (const replica of replicas) await untilUp(replica);
      await untilEqual(master, ...replicas);
      assert.deepEqual(await syncs(master), [0, 2]);
      await until(
        'the key is deleted',
        () => ask(replicas[0].port, 'DBSIZE'),
        (size) => size === 1,
      );
    } finally {
      await Promise.all([master.stop(), ...replicas.map((replica) => replica.stop())]);
    }
  });

  it('our replica has the data of its master in its append-only file', async () => {
    const master = await startServer('redis');
    const replica = await Ours.start({ appendonly: true, save: '' });
    try {
      await ask(replica.port, 'SET', 'own', 'value');
      await ask(master.port, 'SET', 'a', '1');
      await follow(replica, master.port);
      await untilUp(replica);
      await ask(master.port, 'SET', 'b', '2');
      await untilEqual(master, replica);
      await until(
        'the file is complete',
        () => ask(replica.port, 'INFO', 'persistence'),
        (info) => String(info).includes('aof_rewrite_in_progress:0'),
      );
      const digest = await ask(replica.port, 'DEBUG', 'DIGEST');
      await replica.stop();
      await replica.start();
      assert.equal(await ask(replica.port, 'DEBUG', 'DIGEST'), digest);
      assert.equal(await ask(replica.port, 'GET', 'own'), null);
    } finally {
      await Promise.all([replica.stop(), master.stop()]);
    }
  });
});

describe('SHUTDOWN of a master', whenRedisIsInstalled, () => {
  it('waits up to shutdown-timeout for a replica to receive everything', async () => {
    for (const [timeout, isWaiting] of [
      ['0', false],
      ['20', true],
    ] as const) {
      const master = await startServer('sorrel', ['--shutdown-timeout', timeout]);
      const replica = await startServer('redis');
      try {
        await follow(replica, master.port);
        await untilUp(replica);
        await until(
          'it is online',
          () => ask(master.port, 'WAIT', '1', '1000'),
          (count) => count === 1,
        );
        replica.process.kill('SIGSTOP');
        await ask(master.port, 'SET', 'last', 'write');
        const exited = new Promise((resolve) => master.process.once('exit', resolve));
        void ask(master.port, 'SHUTDOWN').catch(() => {});
        if (isWaiting) {
          await new Promise((resolve) => setTimeout(resolve, 700));
          assert.ok(master.running, 'it waits for the replica');
        } else await exited;
        replica.process.kill('SIGCONT');
        await exited;
        if (isWaiting) assert.equal(await ask(replica.port, 'GET', 'last'), 'write');
      } finally {
        await Promise.all([master.stop(), replica.stop()]);
      }
    }
  });
});
