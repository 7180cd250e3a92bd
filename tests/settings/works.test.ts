import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { directiveRows } from '../../src/commands/config/rows.js';
import { noOpensslReason } from '../support/certificates.js';
import { daemonProbes } from './daemon-probes.js';
import { engineProbes } from './engine-probes.js';
import { fileProbes } from './file-probes.js';
import type { Probe } from './observing.js';
import { processProbes } from './process-probes.js';
import { rowsOf } from './rows.js';
import { tlsProbes } from './tls-probes.js';

/** Every setting that works, according to the table, has an observable effect. */

const PROBES: Readonly<Record<string, Probe>> = {
  ...engineProbes,
  ...fileProbes,
  ...processProbes,
  ...daemonProbes,
  ...tlsProbes,
};

/** Settings whose effect other tests show: the file, and a part of the test's title. */
const SHOWN: Readonly<Record<string, readonly [file: string, test: string]>> = {
  port: ['tests/server/sockets.test.ts', 'CONFIG SET port moves the server'],
  bind: ['tests/oracle/config.test.ts', 'a port in use is refused, and the old one stays'],
  unixsocket: ['tests/server/sockets.test.ts', 'CLIENT INFO shows the path of a Unix socket'],
  unixsocketperm: ['tests/server/sockets.test.ts', 'CLIENT INFO shows the path of a Unix socket'],
  'protected-mode': ['tests/server/sockets.test.ts', 'protected mode refuses remote clients'],
  timeout: ['tests/server/limits.test.ts', 'idle clients are closed after `timeout`'],
  maxclients: ['tests/server/limits.test.ts', 'clients beyond maxclients are refused'],
  'client-output-buffer-limit': ['tests/server/limits.test.ts', 'a subscriber that does not read is dropped'],
  'client-query-buffer-limit': ['tests/server/limits.test.ts', 'a request beyond client-query-buffer-limit'],
  'maxmemory-clients': ['tests/server/client-memory.test.ts', 'the total is below maxmemory-clients'],
  loglevel: ['tests/server/sockets.test.ts', 'in the configured file and from the configured level'],
  logfile: ['tests/server/sockets.test.ts', 'in the configured file and from the configured level'],
  'set-proc-title': ['src/server/process/process-title.test.ts', 'with set-proc-title no'],
  'proc-title-template': [
    'src/server/process/process-title.test.ts',
    'the title of the process follows the settings',
  ],
  'oom-score-adj': ['src/server/process/oom-score.test.ts', 'the OOM score is adjusted'],
  'oom-score-adj-values': ['src/server/process/oom-score.test.ts', 'the OOM score is adjusted'],
  'syslog-enabled': ['src/server/process/syslog.test.ts', 'lines are sent to the log of the system'],
  'syslog-ident': ['src/server/process/syslog.test.ts', 'lines are sent to the log of the system'],
  'syslog-facility': ['src/server/process/syslog.test.ts', 'lines are sent to the log of the system'],
  'cluster-allow-reads-when-down': [
    'tests/cluster/redirection.test.ts',
    'refuses keys while the cluster is down',
  ],
  'cluster-allow-pubsubshard-when-down': [
    'tests/cluster/redirection.test.ts',
    'refuses keys while the cluster is down',
  ],
  'cluster-preferred-endpoint-type': [
    'tests/cluster/redirection.test.ts',
    'refuses keys while the cluster is down',
  ],
  'notify-keyspace-events': ['tests/oracle/notifications.test.ts', 'events of '],
  'tracking-table-max-keys': ['src/engine/sessions.test.ts', 'keeps at most `tracking-table-max-keys` keys'],
  'busy-reply-threshold': [
    'tests/oracle/scripting/scripting-busy.test.ts',
    'a script that takes too long can be killed',
  ],
  'lua-enable-deprecated-api': [
    'tests/oracle/scripting/deprecated-api.test.ts',
    'functions with lua-enable-deprecated-api yes',
  ],
  'stop-writes-on-bgsave-error': ['tests/durability/rdb.test.ts', 'unless forced, and refuses writes'],
  'rdb-key-save-delay': [
    'src/persistence/persistence.test.ts',
    'continues at once when the delay is removed',
  ],
  'key-load-delay': ['src/persistence/persistence.test.ts', 'at once when the delay is removed'],
  appendfsync: ['tests/durability/aof-always.test.ts', 'replies are sent after the sync'],
  'aof-load-truncated': ['tests/durability/aof-damage.test.ts', 'with aof-load-truncated no'],
  'aof-timestamp-enabled': [
    'tests/durability/aof-damage.test.ts',
    'check-aof truncates a file to a timestamp',
  ],
  replicaof: ['tests/replication/settings.test.ts', 'replicaof makes the server a replica'],
  masterauth: ['tests/replication/settings.test.ts', 'masterauth and masteruser are sent'],
  masteruser: ['tests/replication/settings.test.ts', 'masterauth and masteruser are sent'],
  'replica-serve-stale-data': [
    'tests/replication/settings.test.ts',
    'replica-serve-stale-data no refuses reads',
  ],
  'replica-read-only': ['tests/replication/settings.test.ts', 'replica-read-only no allows writes'],
  'replica-ignore-maxmemory': ['tests/replication/settings.test.ts', 'replica-ignore-maxmemory no lets'],
  'replica-priority': [
    'tests/replication/settings.test.ts',
    'replica-priority and replica-announced are shown',
  ],
  'replica-announced': [
    'tests/replication/settings.test.ts',
    'replica-priority and replica-announced are shown',
  ],
  'replica-announce-ip': [
    'tests/replication/settings.test.ts',
    'replica-announce-ip and replica-announce-port are',
  ],
  'replica-announce-port': [
    'tests/replication/settings.test.ts',
    'replica-announce-ip and replica-announce-port are',
  ],
  'repl-diskless-sync': ['tests/replication/settings.test.ts', 'repl-diskless-sync no stores'],
  'repl-diskless-sync-delay': ['tests/replication/settings.test.ts', 'repl-diskless-sync-delay lets'],
  'repl-diskless-sync-max-replicas': [
    'tests/replication/settings.test.ts',
    'repl-diskless-sync-max-replicas ends',
  ],
  'repl-diskless-load': ['tests/replication/settings.test.ts', 'repl-diskless-load swapdb serves'],
  'repl-ping-replica-period': ['tests/replication/settings.test.ts', 'repl-ping-replica-period sends PING'],
  'repl-timeout': ['tests/replication/settings.test.ts', 'repl-timeout drops'],
  'repl-disable-tcp-nodelay': ['tests/replication/settings.test.ts', 'repl-disable-tcp-nodelay yes lets'],
  'repl-backlog-size': ['tests/replication/settings.test.ts', 'repl-backlog-size decides'],
  'repl-backlog-ttl': ['tests/replication/settings.test.ts', 'repl-backlog-ttl frees'],
  'bind-source-addr': ['tests/replication/settings.test.ts', 'bind-source-addr is the address'],
  'rdb-del-sync-files': ['tests/replication/files.test.ts', 'removed with rdb-del-sync-files yes'],
  'shutdown-timeout': ['tests/replication/files.test.ts', 'waits up to shutdown-timeout'],
  ...Object.fromEntries(
    [
      'cluster-node-timeout',
      'cluster-require-full-coverage',
      'cluster-replica-no-failover',
      'cluster-replica-validity-factor',
      'cluster-link-sendbuf-limit',
    ].map((name) => [name, ['tests/cluster/settings.test.ts', name]] as const),
  ),
  'cluster-allow-replica-migration': [
    'tests/cluster/settings.test.ts',
    'cluster-allow-replica-migration and',
  ],
  'cluster-migration-barrier': ['tests/cluster/settings.test.ts', 'cluster-allow-replica-migration and'],
  'cluster-announce-ip': ['tests/cluster/settings.test.ts', 'cluster-announce-ip, -port'],
  'cluster-announce-port': ['tests/cluster/settings.test.ts', 'cluster-announce-ip, -port'],
  'cluster-announce-tls-port': ['tests/cluster/settings.test.ts', 'cluster-announce-ip, -port'],
  'cluster-announce-bus-port': ['tests/cluster/settings.test.ts', 'cluster-announce-ip, -port'],
  'cluster-announce-hostname': ['tests/cluster/settings.test.ts', 'cluster-announce-ip, -port'],
  'cluster-enabled': ['tests/cluster/processes.test.ts', 'two nodes must not share a file'],
  'cluster-config-file': ['tests/cluster/processes.test.ts', 'two nodes must not share a file'],
  'cluster-port': ['tests/cluster/processes.test.ts', 'cluster-port is the port for other nodes'],
  'tls-cluster': ['tests/cluster/processes.test.ts', 'tls-cluster yes encrypts the bus'],
  aclfile: ['tests/oracle/users/acl-files.test.ts', 'ACL LOAD and ACL SAVE'],
  user: ['tests/oracle/users/acl-files.test.ts', 'user lines of a configuration file'],
  include: ['src/server/configuration/configuration.test.ts', 'wildcards'],
  'rename-command': ['src/server/configuration/configuration.test.ts', 'rename'],
};

const names = [...rowsOf('works'), ...directiveRows.filter(({ status }) => status === 'works')].map(
  ({ name }) => name,
);

/** The titles of the tests in a file. Comments and other strings do not count. */
function titlesIn(text: string): string[] {
  const declaration = /^\s*(?:await )?(?:test|it|group|compare\w+)\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gm;
  return Array.from(text.matchAll(declaration), ([, , title]) => title as string);
}

describe('a setting that works', () => {
  for (const name of names) {
    const probe = PROBES[name];
    if (name.startsWith('tls-') && noOpensslReason !== undefined) {
      it(`makes a difference: ${name}`, { skip: noOpensslReason });
      continue;
    }
    if (probe === undefined) {
      it(`is shown by another test: ${name}`, () => {
        const [file, test] = SHOWN[name] ?? assert.fail(`nothing shows that ${name} works`);
        const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
        const titles = titlesIn(text);
        assert.ok(titles.length > 0, `${file} has no tests that this test recognises`);
        assert.ok(
          titles.some((title) => title.includes(test)),
          `${file} has no test with "${test}" in its title: it was renamed or removed. Name the test that shows ${name} in SHOWN.`,
        );
        assert.ok(
          text.includes(name),
          `${file} does not mention ${name}: it cannot show that the setting works`,
        );
      });
      continue;
    }
    it(`makes a difference: ${name}`, async () => {
      const before = await probe.observe({});
      assert.deepEqual(await probe.observe({}), before, 'the observation is not repeatable');
      const after = await probe.observe({ [name]: probe.value });
      assert.notDeepEqual(after, before);
    });
  }

  it('has a probe or another test only if it is in the table', () => {
    const known = new Set(names);
    for (const name of [...Object.keys(PROBES), ...Object.keys(SHOWN)]) assert.ok(known.has(name), name);
  });
});
