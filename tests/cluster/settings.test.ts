import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clusterOf, configure, idOf, simulatedCluster } from './simulated.js';

/** Settings of a node that decide about failures, in virtual time. */

describe('settings of a cluster', () => {
  it('cluster-node-timeout decides when a silent node is suspected', async () => {
    for (const timeout of [1000, 8000]) {
      const { simulation, masters } = await simulatedCluster(0, { 'cluster-node-timeout': String(timeout) });
      const [first, second] = masters as [(typeof masters)[0], (typeof masters)[0]];
      second.crash();
      const begun = simulation.time.now();
      await simulation.passUntil(() => clusterOf(first).topology.node(idOf(second))?.isSuspected === true);
      const waited = simulation.time.now() - begun;
      assert.ok(waited > timeout * 0.4 && waited < timeout * 2 + 1000, `${timeout}: ${waited}`);
      simulation.close();
    }
  });

  it('announced ports are shown at once, and DEBUG CLUSTERLINK closes links, which are opened again', async () => {
    const { simulation, masters } = await simulatedCluster(0, { 'enable-debug-command': 'yes' });
    const [first, second] = masters as [(typeof masters)[0], (typeof masters)[0]];
    configure(first, 'cluster-announce-port', '7999');
    assert.match(first.run('CLUSTER', 'NODES'), /:7999@/);
    const node = clusterOf(first).topology.node(idOf(second));
    assert.ok(node !== undefined);
    await simulation.passUntil(() => node.link?.isConnected === true && node.inboundLink !== undefined);
    assert.equal(first.run('DEBUG', 'CLUSTERLINK', 'KILL', 'to', idOf(second)), '+OK\r\n');
    assert.equal(node.link, undefined);
    assert.ok(node.inboundLink !== undefined);
    assert.equal(first.run('DEBUG', 'CLUSTERLINK', 'KILL', 'ALL', idOf(second)), '+OK\r\n');
    assert.equal(node.inboundLink, undefined);
    assert.match(first.run('DEBUG', 'CLUSTERLINK', 'KILL', 'all', 'x'), /^-ERR Unknown node x/);
    assert.match(first.run('DEBUG', 'CLUSTERLINK', 'KILL', 'x', idOf(second)), /^-ERR Unknown direction x/);
    await simulation.passUntil(() => node.link?.isConnected === true && node.inboundLink !== undefined);
    simulation.close();
  });

  it('cluster-require-full-coverage no serves the other slots', async () => {
    const { simulation, masters } = await simulatedCluster(0);
    const [first, second, third] = masters as [(typeof masters)[0], (typeof masters)[0], (typeof masters)[0]];
    second.crash();
    await simulation.passUntil(() => !clusterOf(first).topology.isUp);
    assert.match(first.run('GET', 'b'), /^-CLUSTERDOWN/);
    for (const each of [first, third]) configure(each, 'cluster-require-full-coverage', 'no');
    await simulation.passUntil(() => clusterOf(first).topology.isUp);
    assert.equal(first.run('GET', 'b'), '$-1\r\n');
    simulation.close();
  });

  it('cluster-replica-no-failover yes keeps a replica from standing for election', async () => {
    const { simulation, masters, replicas } = await simulatedCluster([2, 0, 0]);
    const [stays, stands] = replicas[0] as [(typeof masters)[0], (typeof masters)[0]];
    configure(stays, 'cluster-replica-no-failover', 'yes');
    await simulation.pass(3000);
    assert.match(masters[1]?.run('CLUSTER', 'NODES') ?? '', /slave,nofailover/);
    masters[0]?.crash();
    await simulation.passUntil(() => clusterOf(stands).topology.myself.isMaster);
    assert.ok(clusterOf(stays).topology.myself.isReplica);
    simulation.close();
  });

  it('cluster-replica-validity-factor refuses a failover to a replica that was away for too long', async () => {
    for (const [factor, becomesMaster] of [
      ['1', false],
      ['0', true],
    ] as const) {
      const { simulation, masters, replicas } = await simulatedCluster([1, 0, 0], {
        'cluster-replica-validity-factor': factor,
        'repl-ping-replica-period': '1',
        'repl-timeout': '5',
      });
      const [master] = masters;
      const replica = replicas[0]?.[0];
      assert.ok(master !== undefined && replica !== undefined);
      // Only replication is cut: the bus works.
      replica.replication.link?.close();
      await simulation.pass(20_000);
      master.crash();
      await simulation.pass(20_000);
      assert.equal(clusterOf(replica).topology.myself.isMaster, becomesMaster, factor);
      simulation.close();
    }
  });

  it('cluster-allow-replica-migration and cluster-migration-barrier decide whether a master without replicas gets one', async () => {
    const cases: readonly (readonly [string, string, boolean])[] = [
      ['yes', '1', true],
      ['yes', '2', false],
      ['no', '1', false],
    ];
    for (const [allowed, barrier, migrates] of cases) {
      const { simulation, masters, replicas } = await simulatedCluster([2, 1, 0], {
        'cluster-allow-replica-migration': allowed,
        'cluster-migration-barrier': barrier,
      });
      replicas[1]?.[0]?.crash();
      await simulation.pass(30_000);
      const orphan = clusterOf(masters[1] as (typeof masters)[0]).topology.myself;
      assert.equal(orphan.workingReplicas, migrates ? 1 : 0, `${allowed} ${barrier}`);
      simulation.close();
    }
  });

  it('cluster-announce-ip, -port, -tls-port, -bus-port and -hostname are what the other nodes show', async () => {
    const { simulation, masters } = await simulatedCluster(0);
    const [first, second] = masters as [(typeof masters)[0], (typeof masters)[0]];
    configure(first, 'cluster-announce-hostname', 'one.example.org');
    await simulation.passUntil(() => second.run('CLUSTER', 'NODES').includes('one.example.org'));
    assert.match(second.run('CLUSTER', 'NODES'), /127\.0\.0\.1:7001@17001,one\.example\.org/);
    configure(second, 'cluster-preferred-endpoint-type', 'hostname');
    assert.match(second.run('CLUSTER', 'SLOTS'), /one\.example\.org/);
    assert.match(second.run('GET', 'b'), /^-MOVED 3300 one\.example\.org:7001/);
    configure(first, 'cluster-announce-ip', '127.0.0.9');
    configure(first, 'cluster-announce-port', '7999');
    configure(first, 'cluster-announce-bus-port', '17001');
    await simulation.passUntil(() =>
      second.run('CLUSTER', 'NODES').includes('127.0.0.9:7999@17001,one.example.org'),
    );
    configure(first, 'cluster-announce-tls-port', '7998');
    configure(first, 'tls-cluster', 'yes');
    await simulation.passUntil(() => second.run('CLUSTER', 'NODES').includes('127.0.0.9:7998@17001'));
    simulation.close();
  });

  it('cluster-link-sendbuf-limit closes a link on which too much waits', async () => {
    const { simulation, masters } = await simulatedCluster(0);
    const [first] = masters as [(typeof masters)[0]];
    const cluster = clusterOf(first);
    const other = [...cluster.topology.nodes].find((node) => !node.isMyself);
    assert.ok(other?.link !== undefined);
    Object.defineProperty(other.link, 'unsent', { value: 2_000_000 });
    await simulation.pass(1000);
    assert.match(first.run('CLUSTER', 'INFO'), /total_cluster_links_buffer_limit_exceeded:0/);
    configure(first, 'cluster-link-sendbuf-limit', '1mb');
    await simulation.pass(1000);
    assert.match(first.run('CLUSTER', 'INFO'), /total_cluster_links_buffer_limit_exceeded:1/);
    await simulation.passUntil(() => other.link?.isConnected === true);
    simulation.close();
  });
});
