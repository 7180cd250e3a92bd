import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { Bytes } from '../bytes/bytes.js';
import type { Database } from '../keyspace/database.js';
import { type EffectCommand, Effects } from '../keyspace/effects.js';
import { MemorySink } from '../rdb/byte-sink.js';
import { CommandStream } from './command-stream.js';

const databases = [{ index: 0 }, { index: 1 }] as unknown as readonly [Database, Database];
const [first, second] = databases;

let sink: MemorySink;
let effects: Effects;
let file: CommandStream;
let replicas: CommandStream;

/** The commands written to the streams since the last call. */
function written(): string {
  const text = sink.buffer.latin1Slice(0, sink.length);
  sink.reset();
  return text
    .split(/\*\d+\r\n/)
    .filter((command) => command !== '')
    .map((command) =>
      command
        .split('\r\n')
        .filter((_, index) => index % 2 === 1)
        .join(' '),
    )
    .join(', ');
}

beforeEach(() => {
  sink = new MemorySink();
  effects = new Effects();
  file = new CommandStream(sink, 'file');
  replicas = new CommandStream(sink, 'replicas');
});

function follow(stream: CommandStream): void {
  effects.subscribe({ batch: (commands, independent) => stream.write(commands, independent) });
}

describe('a command stream', () => {
  it('selects a database only when it changes', () => {
    follow(file);
    for (const db of [first, first, second, second, first]) {
      effects.rewrite(db, 'INCR', 'n');
      effects.flush();
    }
    assert.equal(written(), 'SELECT 0, INCR n, INCR n, SELECT 1, INCR n, INCR n, SELECT 0, INCR n');
  });

  it('selects again after reselect, for a reader without the earlier commands', () => {
    follow(file);
    effects.rewrite(first, 'INCR', 'n');
    effects.flush();
    file.reselect();
    effects.rewrite(first, 'INCR', 'n');
    effects.flush();
    assert.equal(written(), 'SELECT 0, INCR n, SELECT 0, INCR n');
  });

  it('writes MULTI and EXEC around several commands of one unit', () => {
    follow(file);
    effects.rewrite(first, 'INCR', 'a');
    effects.rewrite(second, 'INCR', 'b');
    effects.flush();
    assert.equal(written(), 'SELECT 0, MULTI, INCR a, SELECT 1, INCR b, EXEC');
  });

  it('writes no MULTI and EXEC around independent commands', () => {
    follow(file);
    effects.rewrite(first, 'DEL', 'a');
    effects.rewrite(first, 'DEL', 'b');
    effects.flush(true);
    assert.equal(written(), 'SELECT 0, DEL a, DEL b');
  });

  it('skips commands for the other reader, with their SELECT, MULTI and EXEC', () => {
    const both: EffectCommand[][] = [];
    effects.subscribe({ batch: (commands) => void both.push([...commands]) });
    follow(file);
    const record = (): void => {
      effects.recipients = 'replicas';
      effects.rewrite(second, 'PUBLISH', 'c', 'm');
      effects.recipients = 'file';
      effects.rewrite(first, 'SET', 'f', 1);
      effects.recipients = 'all';
      effects.flush();
    };
    record();
    assert.equal(written(), 'SELECT 0, SET f 1');
    effects = new Effects();
    follow(replicas);
    record();
    assert.equal(written(), 'SELECT 1, PUBLISH c m');
  });

  it('reports whether a unit has commands for its reader', () => {
    let concerned: boolean[] = [];
    effects.subscribe({
      batch: (commands) => {
        concerned = [file.concerns(commands), replicas.concerns(commands)];
      },
    });
    effects.recipients = 'replicas';
    effects.rewrite(first, 'PUBLISH', 'c', 'm');
    effects.flush();
    assert.deepEqual(concerned, [false, true]);
  });

  it("has a client's request as it was sent, also if another command joins its unit", () => {
    follow(file);
    const input = Buffer.from('*2\r\n$4\r\nINCR\r\n$1\r\na\r\n');
    const args = [new Bytes(input, 8, 12), new Bytes(input, 18, 19)];
    effects.finishCommand(0, args, 2, true);
    effects.flush();
    assert.equal(sink.buffer.latin1Slice(sink.length - input.length, sink.length), input.latin1Slice());
    effects.finishCommand(0, args, 2, true);
    effects.rewrite(first, 'INCR', 'b');
    // The next request is read.
    input.fill('x');
    effects.flush();
    assert.equal(written(), 'SELECT 0, INCR a, MULTI, INCR a, INCR b, EXEC');
  });

  it('counts every byte, framing included', () => {
    follow(file);
    effects.rewrite(first, 'INCR', 'a');
    effects.rewrite(first, 'INCR', 'b');
    effects.flush();
    assert.equal(file.offset, sink.length);
    const before = file.offset;
    const ping = Buffer.from('*1\r\n$4\r\nPING\r\n');
    file.bytes(ping, 0, ping.length);
    assert.equal(file.offset, before + ping.length);
    assert.equal(file.offset, sink.length);
  });
});
