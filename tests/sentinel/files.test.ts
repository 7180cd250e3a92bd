import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import {
  ask,
  type MemberKind,
  type Server,
  startSentinel,
  startSentinelGroup,
  stopAllServers,
  whenRedisIsInstalled,
} from '../support/fleet/index.js';

after(stopAllServers);

function linesOf({ directory }: Server): string[] {
  const lines = readFileSync(join(directory, 'sentinel.conf'), 'utf8').split('\n');
  return lines.filter((line) => line.startsWith('sentinel '));
}

/** What a Sentinel has stored of itself, and of the servers that it knows. */
function stateOf(sentinel: Server): string[] {
  // Ours puts passwords in quotes: a real one cannot read back one with spaces that it has written.
  return linesOf(sentinel)
    .map((line) => line.replaceAll('"', ''))
    .sort();
}

describe('the configuration file of a Sentinel', whenRedisIsInstalled, () => {
  it('is read by the other kind, which writes the same again', { timeout: 300_000 }, async () => {
    const kinds: readonly MemberKind[] = ['sorrel', 'redis', 'redis'];
    const group = await startSentinelGroup([], ['redis', 'sorrel'], kinds);
    const sentinels = group.servers.filter(({ port }) => group.sentinelPorts.includes(port));
    await group.failover();
    const present = await group.masterPort();
    for (const { port } of sentinels) {
      const set = (...words: string[]) => ask(port, 'SENTINEL', 'SET', group.name, ...words);
      await set('parallel-syncs', '2', 'master-reboot-down-after-period', '5');
      await set('rename-command', 'config', 'settings');
      await set('auth-user', 'me', 'auth-pass', 'secret');
      await ask(port, 'SENTINEL', 'CONFIG', 'SET', 'sentinel-pass', 'hidden');
    }
    for (const { process } of sentinels) process.kill('SIGKILL');
    for (const [i, sentinel] of sentinels.entries()) {
      const before = stateOf(sentinel);
      const names = before.map((line) => line.split(' ')[1]);
      for (const name of [
        'myid',
        'monitor',
        'config-epoch',
        'current-epoch',
        'known-replica',
        'known-sentinel',
      ]) {
        assert.ok(names.includes(name), `${name} in ${names.join(' ')}`);
      }
      const other = await startSentinel(kinds[i] === 'redis' ? 'sorrel' : 'redis', linesOf(sentinel));
      assert.deepEqual(await ask(other.port, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', group.name), [
        '127.0.0.1',
        String(present),
      ]);
      await ask(other.port, 'SENTINEL', 'FLUSHCONFIG');
      assert.deepEqual(stateOf(other), before);
      await other.stop();
    }
    await group.stop();
  });
});
