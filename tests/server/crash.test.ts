import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { RawClient, type Server, startSorrel } from '../oracle/support/index.js';

/** Loaded into the server's process: signals that trigger defects outside of any command. */
const DEFECTS = `data:text/javascript,${encodeURIComponent(`
  process.on('SIGUSR2', () => { throw new TypeError('thrown outside of commands'); });
  process.on('SIGWINCH', () => { Promise.reject(new RangeError('rejected without a handler')); });
`)}`;

async function startWithDefects(): Promise<Server> {
  const before = process.env['NODE_OPTIONS'];
  process.env['NODE_OPTIONS'] = `${before ?? ''} --import ${DEFECTS}`;
  try {
    return await startSorrel();
  } finally {
    if (before === undefined) delete process.env['NODE_OPTIONS'];
    else process.env['NODE_OPTIONS'] = before;
  }
}

for (const [signal, name, reason] of [
  [
    'SIGUSR2',
    'exception',
    /# Crashed by an uncaught exception: TypeError: thrown outside of commands\n +at /,
  ],
  [
    'SIGWINCH',
    'rejection',
    /# Crashed by an uncaught exception: RangeError: rejected without a handler\n +at /,
  ],
] as const) {
  test(`an uncaught ${name} ends the process, and the log has the reason`, async () => {
    const server = await startWithDefects();
    const client = await RawClient.connect(server.port);
    // Not `exit`: output of the process may arrive after that event.
    const ended = once(server.process, 'close');
    server.process.kill(signal);
    const [code] = await ended;
    assert.equal(code, 1);
    assert.match(server.log(), reason);
    assert.equal(await client.waitForClose(), true);
    await server.stop();
  });
}
