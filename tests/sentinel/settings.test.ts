import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { RawClient } from '../oracle/support/raw-client.js';
import { plain } from '../oracle/support/reply.js';
import { until } from '../replication/support.js';
import {
  ask,
  startRedis,
  startSentinel,
  stopAllServers,
  whenRedisIsInstalled,
} from '../support/fleet/index.js';

after(stopAllServers);

/** A script that writes its parameters to a file. */
function script(folder: string, name: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\necho "$@" >> ${path}.log\n`);
  chmodSync(path, 0o755);
  return path;
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(`${path}.log`, 'utf8').trim().split('\n');
  } catch {
    return [];
  }
}

describe('a Sentinel', whenRedisIsInstalled, () => {
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'sorrel-sentinel-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('uses passwords, renamed commands and host names, and runs scripts', async () => {
    const secret = ['--requirepass', 'secret', '--masterauth', 'secret', '--rename-command', 'CONFIG', 'CFG'];
    const quick = ['--repl-diskless-sync-delay', '0'];
    const master = await startRedis([...secret, ...quick]);
    const replica = await startRedis([...secret, ...quick, '--replicaof', `127.0.0.1 ${master.port}`]);
    const notify = script(folder, 'notify');
    const reconfigure = script(folder, 'reconfigure');
    const sentinel = await startSentinel('sorrel', [
      'requirepass mine',
      'sentinel resolve-hostnames yes',
      'sentinel announce-hostnames yes',
      `sentinel monitor m localhost ${master.port} 1`,
      'sentinel auth-pass m secret',
      'sentinel rename-command m CONFIG CFG',
      `sentinel notification-script m ${notify}`,
      `sentinel client-reconfig-script m ${reconfigure}`,
    ]);
    await assert.rejects(ask(sentinel.port, 'SENTINEL', 'MASTERS'), /NOAUTH/);
    const client = await RawClient.connect(sentinel.port);
    const say = async (...words: string[]) => plain(await client.call(words));
    await say('AUTH', 'mine');
    await say('SENTINEL', 'DEBUG', 'info-period', '100');
    await until(
      'the replica is known and follows',
      () => say('SENTINEL', 'REPLICAS', 'm'),
      (replicas) => String(replicas).includes('master-link-status,ok'),
    );
    assert.deepEqual(await say('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'm'), [
      'localhost',
      String(master.port),
    ]);
    await until(
      'the failover begins',
      () => say('SENTINEL', 'FAILOVER', 'm'),
      (reply) => reply === 'OK' || String(reply).includes('INPROG'),
    );
    await until(
      'the replica is the master',
      () => say('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'm'),
      (address) => Array.isArray(address) && address[1] === String(replica.port),
    );
    const reconfigured = await until(
      'the scripts have run',
      async () => linesOf(reconfigure),
      (lines) => lines[0] !== undefined && linesOf(notify).some((line) => line.startsWith('+switch-master')),
    );
    assert.equal(reconfigured[0], `m leader start localhost ${master.port} 127.0.0.1 ${replica.port}`);
    const events = linesOf(notify).map((line) => line.split(' ')[0]);
    for (const event of [
      '+monitor',
      '+try-failover',
      '+elected-leader',
      '+promoted-slave',
      '+failover-end',
    ]) {
      assert.ok(events.includes(event), `${event} in ${events.join(' ')}`);
    }
    client.close();
  });
});
