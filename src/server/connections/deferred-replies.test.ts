import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextRound } from 'node:timers/promises';
import { RespWriter } from '../../resp/resp-writer.js';
import { DeferredReplies } from './deferred-replies.js';

/** A client that notes what was sent to it, as `name:text`. */
function client(name: string, sent: string[], then: () => void = () => {}) {
  return {
    sendDeferred(buffer: Buffer, start: number, end: number): void {
      sent.push(`${name}:${buffer.latin1Slice(start, end).trim()}`);
      then();
    },
  };
}

function replying(text: string): RespWriter {
  const writer = new RespWriter();
  writer.status(text);
  return writer;
}

test('replies are sent together, in order, when all waiting input has been read', async () => {
  const sent: string[] = [];
  const replies = new DeferredReplies();
  assert.equal(replies.add(client('a', sent), replying('1')), true);
  assert.equal(replies.add(client('b', sent), replying('two')), true);
  assert.deepEqual(sent, []);
  await nextRound();
  assert.deepEqual(sent, ['a:+1', 'b:+two']);
  await nextRound();
  assert.equal(sent.length, 2);
});

test('when there are enough, they are to be sent at once', () => {
  const sent: string[] = [];
  const replies = new DeferredReplies();
  for (let i = 0; !replies.isFull; i++) assert.equal(replies.add(client(`${i}`, sent), replying('OK')), true);
  assert.equal(replies.add(client('late', sent), replying('OK')), false);
  replies.send();
  assert.deepEqual([sent.length, sent[0], sent.at(-1)], [16, '0:+OK', '15:+OK']);
  assert.equal(replies.isFull, false);
  replies.send();
  assert.equal(sent.length, 16);
});

test('the server is told before replies are sent, and not if there are none', () => {
  const sent: string[] = [];
  const replies = new DeferredReplies(() => sent.push('now'));
  replies.send();
  replies.add(client('a', sent), replying('1'));
  replies.add(client('b', sent), replying('2'));
  replies.send();
  assert.deepEqual(sent, ['now', 'a:+1', 'b:+2']);
});

test('of longer replies, fewer are sent together', () => {
  const replies = new DeferredReplies();
  let count = 0;
  for (; !replies.isFull; count++) replies.add(client(`${count}`, []), replying('x'.repeat(6000)));
  assert.equal(count, 3);
});

test('a long reply is not deferred', () => {
  assert.equal(new DeferredReplies().add(client('a', []), replying('x'.repeat(20_000))), false);
});

test('a client that is closed while replies are sent does not lose or repeat those of others', () => {
  const sent: string[] = [];
  const replies = new DeferredReplies();
  const closing = client('a', sent, () => {
    replies.send();
    replies.add(client('later', sent), replying('3'));
  });
  replies.add(closing, replying('1'));
  replies.add(client('b', sent), replying('2'));
  replies.send();
  assert.deepEqual(sent, ['a:+1', 'b:+2', 'later:+3']);
});

test('the replies of a single active client are soon sent at once, and deferred again when there are several', async () => {
  const sent: string[] = [];
  const replies = new DeferredReplies();
  let rounds = 0;
  while (replies.add(client('a', sent), replying('OK'))) {
    rounds++;
    await nextRound();
  }
  assert.equal(sent.length, rounds);
  assert.ok(rounds < 10);
  let direct = 1;
  while (!replies.add(client('a', sent), replying('OK'))) direct++;
  assert.equal(direct, 64);
  for (let round = 0; round < 20; round++) {
    assert.equal(replies.add(client('b', sent), replying('OK')), true);
    await nextRound();
    assert.equal(replies.add(client('a', sent), replying('OK')), true);
  }
});
