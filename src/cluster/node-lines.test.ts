import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NodesFileError, nodesFile, parseNodesFile } from './node-lines.js';

const A = 'a'.repeat(40);
const B = 'b'.repeat(40);
const C = 'c'.repeat(40);

/** As a redis-server writes it. */
const FILE = `${A} 127.0.0.1:7001@17001,one.example.org myself,master - 0 0 3 connected 0-99 200 [7->-${B}] [8-<-${B}]
${B} 127.0.0.1:7002@17002 master,fail? - 1700000000000 1700000000000 2 disconnected 100-199
${C} :0@0 slave,fail,noaddr ${B} 0 0 2 disconnected
vars currentEpoch 9 lastVoteEpoch 8
`;

test('a file is read, and written again with the same content', () => {
  const topology = parseNodesFile(FILE, 1_700_000_000_000);
  assert.ok(topology !== undefined);
  assert.equal(topology.myself.id, A);
  assert.deepEqual([topology.currentEpoch, topology.lastVoteEpoch], [9, 8]);
  assert.equal(topology.node(C)?.master?.id, B);
  assert.equal(topology.owner(150)?.id, B);
  assert.equal(topology.migratingTo.get(7)?.id, B);
  assert.equal(topology.importingFrom.get(8)?.id, B);
  assert.equal(nodesFile(topology), FILE);
});

test('an empty file is that of a new node', () => {
  assert.equal(parseNodesFile('', 0), undefined);
  assert.equal(parseNodesFile('\n\n', 0), undefined);
});

test('a damaged file is refused with its line', () => {
  const damaged: readonly (readonly [string, string, RegExp])[] = [
    [A, 'A', /not the id/],
    ['myself,', '', /myself/],
    ['master,fail?', 'master,odd', /line 2: unknown flag odd/],
    ['100-199', '100-16384', /line 2: .*16383/],
    ['127.0.0.1:7002@17002', 'here', /line 2: here is not an address/],
    [' disconnected 100-199', '', /line 2: .*8 words/],
    [' lastVoteEpoch 8', ' lastVoteEpoch', /line 4/],
    ['currentEpoch 9', 'currentEpoch x', /line 4/],
  ];
  for (const [from, to, message] of damaged) {
    assert.throws(
      () => parseNodesFile(FILE.replace(from, to), 0),
      (error) => error instanceof NodesFileError && message.test(error.message),
      `${from} -> ${to}`,
    );
  }
});

test('an older file without ports of the bus is read', () => {
  const topology = parseNodesFile(`${A} 10.0.0.1:7001 myself,master - 0 0 0 connected\n`, 0);
  assert.deepEqual([topology?.myself.port, topology?.myself.busPort], [7001, 17001]);
});
