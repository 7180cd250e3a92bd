import assert from 'node:assert/strict';
import { Duplex } from 'node:stream';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { StoreError } from '../../store-error.js';
import { RequestLine } from './request-line.js';

/** A stream that keeps what is written to it. */
class Wire extends Duplex {
  readonly writes: string[] = [];

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.writes.push(chunk.toString('latin1'));
    done();
  }

  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this.writes.push(Buffer.concat(chunks.map(({ chunk }) => chunk)).toString('latin1'));
    done();
  }

  override _read(): void {}
}

describe('A line of requests', () => {
  it('writes the requests of one turn together', async () => {
    const wire = new Wire();
    const line = new RequestLine(wire);
    line.send(['GET'], ['é'], 0, () => {});
    line.send(['CONFIG', 'GET'], [7, 8n], 0, () => {});
    assert.deepEqual(wire.writes, []);
    await turn();
    const both = '*2\r\n$3\r\nGET\r\n$2\r\né\r\n*4\r\n$6\r\nCONFIG\r\n$3\r\nGET\r\n$1\r\n7\r\n$1\r\n8\r\n';
    assert.deepEqual(wire.writes, [Buffer.from(both).toString('latin1')]);
  });

  it('writes bytes as they were when they were sent, in the order of the requests', async () => {
    const wire = new Wire();
    const line = new RequestLine(wire);
    const bytes = Buffer.from([0xff, 0]);
    line.send(['ECHO'], ['a'], 0, () => {});
    line.send(['SET'], [bytes, 'b'], 0, () => {});
    line.send(['PING'], [], 0, () => {});
    bytes.fill(1);
    await turn();
    assert.equal(
      wire.writes.join(''),
      '*2\r\n$4\r\nECHO\r\n$1\r\na\r\n*3\r\n$3\r\nSET\r\n$2\r\n\xff\0\r\n$1\r\nb\r\n*1\r\n$4\r\nPING\r\n',
    );
  });

  it('sends nothing of a request with an invalid argument', async () => {
    const wire = new Wire();
    const line = new RequestLine(wire);
    assert.throws(() => line.send(['SET'], [Buffer.from('a'), null as never], 0, () => {}), {
      code: 'MISUSE',
    });
    line.send(['PING'], [], 0, () => {});
    await turn();
    assert.deepEqual(wire.writes, ['*1\r\n$4\r\nPING\r\n']);
  });

  it('answers requests in their order, and those without a reply when the connection ends', async () => {
    const wire = new Wire();
    const line = new RequestLine(wire);
    const answers: unknown[] = [];
    for (const format of [0, 1, 0, 0]) line.send(['GET'], ['k'], format, (reply) => answers.push(reply));
    wire.push(Buffer.from('$1\r\na\r'));
    wire.push(Buffer.from('\n$1\r\nb\r\n-ERR c\r\n'));
    await turn();
    line.end();
    line.send(['GET'], ['k'], 0, (reply) => answers.push(reply));
    const [text, bytes, error, ...rest] = answers;
    assert.deepEqual([text, bytes, rest], ['a', Buffer.from('b'), [undefined, undefined]]);
    assert.ok(error instanceof StoreError);
  });

  it('closes a connection on which anything else arrives', async () => {
    for (const bytes of ['+OK\r\n', 'HTTP/1.1 400\r\n']) {
      const wire = new Wire();
      const problems: Error[] = [];
      wire.on('error', (error) => problems.push(error));
      new RequestLine(wire);
      wire.push(Buffer.from(bytes));
      await turn();
      assert.ok(wire.destroyed && problems[0] instanceof RangeError, bytes);
    }
  });
});
