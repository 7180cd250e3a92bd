import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ask, startSorrel } from '../support/fleet/index.js';

const SLOW = ['--save', '900 1', '--rdb-key-save-delay', '10000000'];
const hasChildrenFile = existsSync(`/proc/self/task/${process.pid}/children`);

function childrenOf(pid: number): number[] {
  const words = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ');
  return words.filter((word) => word !== '').map(Number);
}

test('a background save is aborted if the process that stands for it is killed', {
  skip: !hasChildrenFile,
}, async () => {
  const scores = ['--oom-score-adj', 'absolute', '--oom-score-adj-values', '100 200 300'];
  const server = await startSorrel([...SLOW, ...scores]);
  try {
    await ask(server.port, 'SET', 'key', 'value');
    await ask(server.port, 'BGSAVE');
    const pid = Number(/process_id:(\d+)/.exec(String(await ask(server.port, 'INFO', 'server')))?.[1]);
    const [child, ...others] = childrenOf(pid);
    assert.ok(child !== undefined && others.length === 0);
    assert.equal(readFileSync(`/proc/${child}/oom_score_adj`, 'latin1').trim(), '300');
    const temporary = join(server.directory, `temp-${child}.rdb`);
    while (!existsSync(temporary)) await ask(server.port, 'PING');
    process.kill(child, 'SIGKILL');
    const info = async (): Promise<string> => String(await ask(server.port, 'INFO', 'persistence'));
    while (!/rdb_bgsave_in_progress:0/.test(await info()));
    assert.match(await info(), /rdb_last_bgsave_status:err/);
    assert.match(String(await ask(server.port, 'SET', 'key', 'other').catch(String)), /MISCONF/);
    assert.equal(existsSync(temporary), false);
    await ask(server.port, 'CONFIG', 'SET', 'rdb-key-save-delay', '0');
    await ask(server.port, 'BGSAVE');
    while (!/rdb_last_bgsave_status:ok/.test(await info()));
    while (childrenOf(pid).length > 0) await ask(server.port, 'PING');
  } finally {
    await server.stop();
  }
});

test('without DEBUG, a background save has no process', { skip: !hasChildrenFile }, async () => {
  const server = await startSorrel([...SLOW, '--enable-debug-command', 'no']);
  try {
    await ask(server.port, 'SET', 'key', 'value');
    await ask(server.port, 'BGSAVE');
    const pid = Number(/process_id:(\d+)/.exec(String(await ask(server.port, 'INFO', 'server')))?.[1]);
    assert.deepEqual(childrenOf(pid), []);
  } finally {
    await server.stop();
  }
});
