import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { silentSink } from '../../commands/session.js';
import { Engine } from '../../engine/engine.js';
import { DebugCopies } from './debug-copies.js';
import { HandedOver, type InputReceiver } from './handed-over.js';

test('no copy of the data is made beyond the limit, and the connection stays with its session', () => {
  const engine = new Engine();
  const copies = new DebugCopies(engine, 0);
  const session = engine.openSession(silentSink);
  assert.throws(() => copies.start(session, [], () => assert.fail('handed over')), {
    text: /^ERR Fork\(\) failed: can't run EVAL in debugging mode: 0 sessions .* End one first$/,
  });
});

test('the last output of a session reaches the client, also if its thread ends while the server is busy', async () => {
  const engine = new Engine();
  const copies = new DebugCopies(engine);
  for (let round = 0; round < 3; round++) {
    const session = engine.openSession(silentSink);
    const output: Buffer[] = [];
    let hasStopped = () => {};
    let hasEnded = () => {};
    const stopped = new Promise<void>((resolve) => (hasStopped = resolve));
    const ended = new Promise<void>((resolve) => (hasEnded = resolve));
    let receive: InputReceiver = () => assert.fail('not handed over');
    const socket = {
      write: (bytes: Buffer) => {
        output.push(bytes);
        hasStopped();
      },
    } as unknown as Socket;
    copies.start(
      session,
      ['EVAL', 'return 5', '0'].map((word) => Buffer.from(word)),
      (receiver) => {
        receive = receiver;
        return new HandedOver(socket, receiver, hasEnded);
      },
    );
    await stopped;
    receive(Buffer.from('*1\r\n$8\r\ncontinue\r\n'));
    // The thread ends meanwhile.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    await ended;
    assert.match(Buffer.concat(output).latin1Slice(), /<endsession>\r\n:5\r\n$/, `round ${round}`);
  }
});
