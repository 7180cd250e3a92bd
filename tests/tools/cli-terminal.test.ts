import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type EmbeddedStore, type Listener, open } from '../../src/store/index.js';
import { Terminal } from './terminal.js';

const folder = mkdtempSync(join(tmpdir(), 'sorrel-terminal-'));
const historyFile = join(folder, 'history');
let store: EmbeddedStore;
let listener: Listener;
let port: string;
const terminals: Terminal[] = [];
const whenPythonIsInstalled = {
  skip: spawnSync('python3', ['--version']).status === 0 ? false : 'python3 is not installed',
};

before(async () => {
  store = await open();
  listener = await store.listen({ port: 0 });
  port = listener.address.replace(/.*:/, '');
});
after(async () => {
  for (const terminal of terminals) terminal.kill();
  await store.close();
  rmSync(folder, { recursive: true });
});

function cli(...parameters: string[]): Terminal {
  const terminal = new Terminal(['cli', ...parameters], { REDISCLI_HISTFILE: historyFile });
  terminals.push(terminal);
  return terminal;
}

test(
  'a session at a terminal: replies, prompt, completion, hints, history',
  whenPythonIsInstalled,
  async () => {
    await store.send('RPUSH', 'long', ...Array.from({ length: 500 }, (_, index) => `item${index}`));
    const first = cli('-p', port);
    await first.enter('set greeting "hello world"', `127.0.0.1:${port}> `);
    await first.shows('OK');
    await first.enter('get greeting');
    await first.shows('\x1b[32m"hello world"\x1b[0m');
    await first.enter('lrange long 0 -1');
    await first.shows('"item99"');
    await first.shows('… 400 more lines');
    await first.enter(':more');
    await first.shows('"item499"');
    await first.enter('multi');
    await first.enter('set in-transaction 1', '(TX)> ');
    await first.shows('QUEUED');
    await first.enter('exec', '(TX)> ');
    await first.enter('select 3', `${port}> `);
    await first.enter('auth secret-password', `${port}[3]> `);
    await first.enter('2 incr counter', `${port}[3]> `);
    await first.shows('(integer) 2');
    // A hint, and completion by Tab.
    await first.shows('[3]> ');
    first.type('getr');
    first.type('\t');
    await first.shows('ange');
    await first.shows('key start end');
    first.type(' counter 0 5\r');
    await first.shows('"2"');
    await first.enter('subscribe news');
    await first.shows('Reading messages');
    await first.shows('(integer) 1');
    await store.send('PUBLISH', 'news', 'today');
    await first.shows('"today"');
    first.type('\x03');
    await first.enter('blpop nothing 0', '[3]> ');
    await first.shows('\n');
    first.type('\x03');
    await first.enter('exit', '[3]> ');
    assert.equal(await first.ended(), 0);
    const history = readFileSync(historyFile, 'utf8');
    assert.match(history, /^get greeting$/m);
    assert.doesNotMatch(history, /secret/);

    const second = cli('-p', port);
    await second.shows('> ');
    second.type('\x1b[A\x1b[A');
    await second.shows('blpop nothing 0');
    second.type('\x03');
    await second.shows('> ');
    second.type('\x04');
    assert.equal(await second.ended(), 0);
  },
);

test('with NO_COLOR, nothing is coloured', whenPythonIsInstalled, async () => {
  await store.send('RPUSH', 'list', ...Array.from({ length: 400 }, (_, index) => `item${index}`));
  for (const [value, hasColours] of [
    ['1', false],
    ['', true],
  ] as const) {
    const terminal = new Terminal(['cli', '-p', port], { REDISCLI_HISTFILE: historyFile, NO_COLOR: value });
    terminals.push(terminal);
    await terminal.enter('lrange list 0 -1');
    await terminal.shows('more lines');
    await terminal.shows('> ');
    terminal.type('getrange ');
    await terminal.shows('key start end');
    terminal.type('\x03\x04');
    assert.equal(await terminal.ended(), 0);
    assert.equal(/\x1b\[(?:3|9)\d/.test(terminal.shown), hasColours);
  }
});

test('a session goes on when the server comes back', whenPythonIsInstalled, async () => {
  const place = await open();
  const socket = join(folder, 'server');
  const before = await place.listen({ path: socket });
  const session = cli('-s', socket);
  await session.enter('ping', `redis ${socket}> `);
  await session.shows('PONG');
  await before.close();
  await session.enter('ping', `redis ${socket}> `);
  await session.shows('Could not connect to Redis');
  await session.shows('not connected> ');
  const again = await place.listen({ path: socket });
  session.type('ping\r');
  await session.shows('PONG');
  await session.enter('quit', `redis ${socket}> `);
  assert.equal(await session.ended(), 0);
  await again.close();
  await place.close();
});

test('a script is debugged at a terminal', whenPythonIsInstalled, async () => {
  const script = join(folder, 'script.lua');
  writeFileSync(script, "local a = redis.call('incr', KEYS[1])\nreturn a\n");
  const terminal = cli('-p', port, '--ldb', '--eval', script, 'debugged');
  await terminal.enter('s', 'lua debugger> ');
  await terminal.shows('Stopped at 2');
  await terminal.enter('p a', 'lua debugger> ');
  await terminal.shows('<value> 1');
  await terminal.enter('c', 'lua debugger> ');
  await terminal.shows('(Lua debugging session ended -- dataset changes rolled back)');
  await terminal.enter('exists debugged', `127.0.0.1:${port}> `);
  await terminal.shows('(integer) 0');
  await terminal.enter('restart', `127.0.0.1:${port}> `);
  await terminal.enter('quit', 'lua debugger> ');
  assert.equal(await terminal.ended(), 0);
});
