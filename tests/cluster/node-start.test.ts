import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { freePorts } from '../../src/server/free-ports.js';
import { serve } from '../../src/server/index.js';
import { RawClient } from '../oracle/support/index.js';
import { ask } from '../support/fleet/index.js';

const [port, busPort] = (await freePorts(2)) as [number, number];
const NODE = { port, 'cluster-port': busPort, 'cluster-enabled': 'yes' } as const;

describe('a server with cluster-enabled', () => {
  it('does not start as a replica', async () => {
    await assert.rejects(
      serve({ ...NODE, replicaof: '127.0.0.1 1' }),
      /replicaof directive not allowed in cluster mode/,
    );
  });

  it('does not start with keys in other databases than 0', async (t) => {
    const dir = mkdtempSync(join(tmpdir(), 'sorrel-node-'));
    t.after(() => rmSync(dir, { recursive: true, force: true }));
    const before = await serve({ port, dir });
    const client = await RawClient.connect(port);
    for (const line of ['SET a 1', 'SELECT 1', 'SET b 1', 'SAVE']) await client.call(line);
    client.close();
    await before.close();
    await assert.rejects(serve({ ...NODE, dir }), /can't have keys in a DB different than DB 0/);
  });

  it('counts its connections to other nodes as clients', async () => {
    await using _server = await serve({ ...NODE, maxclients: 3 });
    const [client] = await Promise.all([RawClient.connect(port), RawClient.connect(port)]);
    await client.call(['CLUSTER', 'MEET', '127.0.0.1', '1']);
    const refused = await RawClient.connect(port);
    const { raw } = await refused.next();
    assert.equal(raw.toString(), '-ERR max number of clients + cluster connections reached\r\n');
    await assert.rejects(ask(port, 'PING'));
  });
});
