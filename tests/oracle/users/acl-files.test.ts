import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startWithFile, whenRedisIsInstalled } from '../../support/fleet/index.js';
import { described } from '../support/acl.js';
import { type Case, compareLive, type LivePair, plain, RawClient, serveWith } from '../support/index.js';

/** Users in files: `aclfile`, `user` lines, CONFIG REWRITE. */

const folder = mkdtempSync(join(tmpdir(), 'sorrel-acl-files-'));
const path = join(folder, 'users.acl');
after(() => rmSync(folder, { recursive: true, force: true }));

writeFileSync(path, 'user alice on nopass +@all ~*\n\n  user bob on >pw ~a (+get ~b) +get \t\r\n');
serveWith('--aclfile', path, '--requirepass', 'ignored');

/** The users, with their commands in any order. */
function sortedLines(text: string): string[] {
  return text.split('\n').map((line) => line.split(' ').sort().join(' '));
}

type Compared = Extract<Case, { send: unknown }>;

async function sameUsers({ sendBoth }: LivePair): Promise<void> {
  const { normalise } = described('ACL LIST') as Compared;
  await sendBoth('ACL LIST', { ...(normalise === undefined ? {} : { normalise }) });
}

compareLive('ACL LOAD and ACL SAVE', async (pair) => {
  const { sendBoth, connect, settle } = pair;
  await sameUsers(pair);
  const asAlice = await connect();
  const asDefault = await connect();
  await sendBoth('AUTH alice x', { on: asAlice });
  await sendBoth('ACL SETUSER carol on >secret +@read ~c* (+set ~d*)');
  await sendBoth('ACL SETUSER default -lolwut');
  const saved: string[][] = [];
  for (const side of ['redis', 'sorrel'] as const) {
    const client = await RawClient.connect(pair.servers[side].port);
    assert.equal(plain(await client.call('ACL SAVE')), 'OK');
    client.close();
    saved.push(sortedLines(readFileSync(path, 'latin1')));
  }
  assert.deepEqual(saved[1], saved[0]);
  // The connections of all users but the default one are closed.
  writeFileSync(path, 'user alice on nopass +get ~*\nuser dave on\n');
  await sendBoth('ACL LOAD');
  await settle();
  await assert.rejects(asAlice.redis.call('PING'));
  await assert.rejects(asAlice.sorrel.call('PING'));
  await sendBoth('PING', { on: asDefault });
  await sendBoth('LOLWUT VERSION 1', { on: asDefault });
  await sameUsers(pair);
});

compareLive('an ACL file with errors changes nothing, and all errors are reported', async (pair) => {
  const { sendBoth } = pair;
  for (const text of [
    '# comment\n',
    'user\n',
    'User a on\n',
    'user a on\nuser a off\n',
    'user a +nosuch on ~* ~a (+nosuch)\nuser b x -@nosuch\nuser c +config|get|x\n',
    'user a (+get\nuser b on\n',
    'user a (+get ~x) +get\nuser b on (+set  ~y)\n',
    'user a\ton\n',
    '',
  ]) {
    writeFileSync(path, text);
    await sendBoth('ACL LOAD');
    await sameUsers(pair);
  }
  rmSync(path);
  await sendBoth('ACL LOAD');
  rmSync(folder, { recursive: true });
  await sendBoth('ACL SAVE');
});

const LINES = [
  'requirepass one',
  'user alice on >pw +@all -@dangerous ~a* "(+get ~b)"',
  'hz 20',
  'user bob on nopass (+get ~x) %R~y',
  'user default on >two ~* &* +@all -flushall',
];

test('user lines of a configuration file, and CONFIG REWRITE', whenRedisIsInstalled, async () => {
  const rewritten: string[][] = [];
  for (const name of ['redis', 'sorrel'] as const) {
    const server = await startWithFile(name, LINES);
    const client = await RawClient.connect(server.port);
    const run = async (command: string): Promise<string> => String(plain(await client.call(command)));
    assert.match(await run('AUTH one'), /WRONGPASS/);
    assert.equal(await run('AUTH two'), 'OK');
    assert.match(await run('FLUSHALL'), /NOPERM/);
    assert.equal(await run('ACL SETUSER alice resetkeys ~z'), 'OK');
    assert.equal(await run('ACL DELUSER bob'), '1');
    assert.equal(await run('ACL SETUSER zoe on nopass'), 'OK');
    assert.equal(await run('CONFIG REWRITE'), 'OK');
    const text = readFileSync(join(server.directory, 'redis.conf'), 'latin1');
    rewritten.push(sortedLines(text).filter((line) => /\buser\b|requirepass/.test(line)));
    client.close();
    await server.stop();
  }
  assert.deepEqual(rewritten[1], rewritten[0]);
});

test('wrong user lines end the server at start', whenRedisIsInstalled, async () => {
  for (const name of ['redis', 'sorrel'] as const) {
    const wrong = startWithFile(name, ['user alice on +nosuch']);
    await assert.rejects(wrong, /Unknown command or category name in ACL/);
  }
});
