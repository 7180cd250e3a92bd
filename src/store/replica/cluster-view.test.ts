import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { combineAnswers, parseNodes } from './cluster-view.js';

const AT = { host: '10.0.0.9', port: 7000 };

/** An answer of one node, from lines of `id flags epoch slots…`; the port is 7000 and the number in the id. */
function answer(...lines: readonly string[]): ReturnType<typeof parseNodes> {
  const text = lines.map((line) => {
    const [id = '', flags, epoch, ...slots] = line.split(' ');
    const port = 7000 + Number(/\d+/.exec(id)?.[0] ?? 0);
    return `${id} 10.0.0.1:${port}@${port + 10_000},name ${flags} - 0 0 ${epoch} connected ${slots.join(' ')}`.trim();
  });
  return parseNodes(`${text.join('\n')}\n`, AT);
}

describe('the view of a Cluster', () => {
  it('has owners, masters without slots, and slots that are being moved', () => {
    const view = combineAnswers([
      answer(
        'a1 myself,master 1 0-8191 [5->-b2]',
        'b2 master 2 8192-16382 16383',
        'c3 master 0',
        'd4 slave 1',
      ),
    ]);
    assert.deepEqual([view.owners[0], view.owners[8192], view.owners[16383]], ['a1', 'b2', 'b2']);
    assert.deepEqual([...view.masters.keys()], ['a1', 'b2', 'c3']);
    assert.deepEqual(view.masters.get('b2')?.address, { host: '10.0.0.1', port: 7002 });
    assert.deepEqual([...view.moving], [5]);
    assert.equal(view.nodes.length, 4);
  });

  it('takes a node that does not know its address for the one that was asked', () => {
    const view = combineAnswers([parseNodes('a1 :7000@17000 myself,master - 0 0 1 connected 0-16383\n', AT)]);
    assert.deepEqual(view.masters.get('a1')?.address, { host: '10.0.0.9', port: 7000 });
  });

  it('leaves out nodes without an address', () => {
    const view = combineAnswers([answer('a1 master 1 0-16383', 'b2 master,noaddr 2', 'c3 handshake 0')]);
    assert.deepEqual([...view.masters.keys()], ['a1']);
  });

  it('believes the claim of the higher epoch, whichever node is asked first', () => {
    const old = answer('a1 myself,master 1 0-16383', 'b2 slave 1');
    const fresh = answer('a1 master,fail 1', 'b2 myself,master 5 0-16383');
    for (const answers of [
      [old, fresh],
      [fresh, old],
    ]) {
      assert.equal(combineAnswers(answers).owners[7], 'b2');
    }
  });

  it('does not go back to a former owner, unless most masters say so', () => {
    const fresh = combineAnswers([answer('a1 slave 5', 'b2 master 5 0-16383')]);
    const cutOff = answer('a1 myself,master 1 0-16383', 'b2 slave 1');
    const other = answer('a1 master 1 0-16383', 'b2 slave 1', 'c3 myself,master 6');
    assert.equal(combineAnswers([cutOff, answer('b2 myself,master 5 0-16383')], fresh).owners[7], 'b2');
    assert.equal(combineAnswers([cutOff, other], fresh).owners[7], 'a1');
    assert.equal(combineAnswers([cutOff, answer('c3 myself,master 6')], fresh).owners[7], 'b2');
  });

  it('refuses what is no description of nodes', () => {
    assert.throws(() => parseNodes('hello', AT), /cannot be read: hello/);
  });
});
