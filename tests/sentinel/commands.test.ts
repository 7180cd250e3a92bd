import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Protocol, RawClient } from '../oracle/support/raw-client.js';
import { printable } from '../oracle/support/reply.js';
import { type Server, startSentinel, stopAllServers, whenRedisIsInstalled } from '../support/fleet/index.js';

after(stopAllServers);

/** Ids, times and the state of connections differ between two Sentinels. */
function withoutChance(reply: string): string {
  const varying = `${VARYING.join('|')}`;
  return reply
    .replace(/[0-9a-f]{40}/g, '<id>')
    .replace(new RegExp(String.raw`(${varying})\\r\\n\$\d+\\r\\n[\w,]+\\r\\n`, 'g'), '$1 ');
}

const VARYING = [
  'flags',
  'link-pending-commands',
  'last-ping-sent',
  'last-ok-ping-reply',
  'last-ping-reply',
  'info-refresh',
  'role-reported-time',
];

const SEQUENCES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'without masters': [
    ['PING'],
    ['PING', 'x'],
    ['ROLE'],
    ['GET', 'x'],
    ['CONFIG', 'GET', 'port'],
    ['SENTINEL'],
    ['SENTINEL', 'FOO'],
    ['SENTINEL', 'HELP'],
    ['SENTINEL', 'MASTERS'],
    ['SENTINEL', 'MASTER'],
    ['SENTINEL', 'MASTER', 'unknown'],
    ['SENTINEL', 'REPLICAS', 'unknown'],
    ['SENTINEL', 'SLAVES', 'unknown'],
    ['SENTINEL', 'SENTINELS', 'unknown'],
    ['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'unknown'],
    ['SENTINEL', 'FAILOVER', 'unknown'],
    ['SENTINEL', 'REMOVE', 'unknown'],
    ['SENTINEL', 'CKQUORUM', 'unknown'],
    ['SENTINEL', 'RESET', '*'],
    ['SENTINEL', 'PENDING-SCRIPTS'],
    ['SENTINEL', 'FLUSHCONFIG'],
    ['SENTINEL', 'INFO-CACHE', 'unknown'],
    ['SENTINEL', 'INFO-CACHE'],
    ['SENTINEL', 'SET', 'unknown', 'quorum', '2'],
    ['SENTINEL', 'SET', 'unknown', 'quorum'],
    ['PUBLISH', 'foo', 'bar'],
    ['PUBLISH', '__sentinel__:hello', 'rubbish'],
    ['PUBLISH', '__sentinel__:hello', '127.0.0.1,1,2,3,4,5,6,7'],
    ['SENTINEL', 'IS-MASTER-DOWN-BY-ADDR', '127.0.0.1', '1', '0', '*'],
    ['SENTINEL', 'IS-MASTER-DOWN-BY-ADDR', '127.0.0.1', 'x', '0', '*'],
    ['SENTINEL', 'IS-MASTER-DOWN-BY-ADDR', '127.0.0.1', '1', 'x', '*'],
    ['INFO', 'sentinel'],
    ['INFO', 'memory'],
    ['COMMAND', 'COUNT'],
    ['COMMAND', 'INFO', 'sentinel|set', 'sentinel|slaves', 'publish', 'role'],
    ['ACL', 'WHOAMI'],
    ['ACL', 'LIST'],
  ],
  'time parameters': [
    ['SENTINEL', 'DEBUG'],
    ['SENTINEL', 'DEBUG', 'info-period', '200', 'PUBLISH-PERIOD', '300'],
    ['SENTINEL', 'DEBUG'],
    ['SENTINEL', 'DEBUG', 'info-period'],
    ['SENTINEL', 'DEBUG', 'foo', '1'],
    ['SENTINEL', 'DEBUG', 'info-period', '0'],
    ['SENTINEL', 'DEBUG', 'info-period', 'x'],
    ['SENTINEL', 'SIMULATE-FAILURE', 'help'],
    ['SENTINEL', 'SIMULATE-FAILURE', 'foo'],
    ['SENTINEL', 'SIMULATE-FAILURE', 'crash-after-election', 'crash-after-promotion'],
    ['INFO', 'sentinel'],
    ['SENTINEL', 'SIMULATE-FAILURE'],
  ],
  'global settings': [
    ['SENTINEL', 'CONFIG', 'GET', '*'],
    ['SENTINEL', 'CONFIG', 'GET', 'announce*'],
    ['SENTINEL', 'CONFIG', 'GET', 'foo'],
    ['SENTINEL', 'CONFIG', 'GET'],
    ['SENTINEL', 'CONFIG', 'FOO', 'x'],
    ['SENTINEL', 'CONFIG', 'SET', 'foo', 'x'],
    ['SENTINEL', 'CONFIG', 'SET', 'resolve-hostnames', 'x'],
    ['SENTINEL', 'CONFIG', 'SET', 'resolve-hostnames', 'yes'],
    ['SENTINEL', 'CONFIG', 'SET', 'announce-hostnames', 'yes'],
    ['SENTINEL', 'CONFIG', 'SET', 'announce-ip', '10.0.0.1'],
    ['SENTINEL', 'CONFIG', 'SET', 'announce-port', '70000'],
    ['SENTINEL', 'CONFIG', 'SET', 'announce-port', '7000'],
    ['SENTINEL', 'CONFIG', 'SET', 'sentinel-user', 'me'],
    ['SENTINEL', 'CONFIG', 'SET', 'sentinel-pass', 'secret'],
    ['SENTINEL', 'CONFIG', 'SET', 'sentinel-pass'],
    ['SENTINEL', 'CONFIG', 'GET', '*'],
    ['SENTINEL', 'CONFIG', 'SET', 'resolve-hostnames', 'no'],
    ['SENTINEL', 'CONFIG', 'SET', 'announce-hostnames', 'no'],
  ],
  'masters that are added and changed': [
    ['SENTINEL', 'MONITOR', 'm', 'localhost', '1', '2'],
    ['SENTINEL', 'MONITOR', 'm', '127.0.0.1', 'x', '2'],
    ['SENTINEL', 'MONITOR', 'm', '127.0.0.1', '70000', '2'],
    ['SENTINEL', 'MONITOR', 'm', '127.0.0.1', '1', 'x'],
    ['SENTINEL', 'MONITOR', 'm', '127.0.0.1', '1', '0'],
    ['SENTINEL', 'MONITOR', 'm', '127.0.0.1', '1', '2'],
    ['SENTINEL', 'MONITOR', 'm', '127.0.0.1', '2', '2'],
    ['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'm'],
    ['ROLE'],
    ['SENTINEL', 'MONITOR', 'n', '127.0.0.1', '3', '1'],
    ['SENTINEL', 'SET', 'm', 'quorum', '0'],
    ['SENTINEL', 'SET', 'm', 'quorum', '3'],
    ['SENTINEL', 'SET', 'm', 'down-after-milliseconds', '-1'],
    [
      'SENTINEL',
      'SET',
      'm',
      'down-after-milliseconds',
      '99999',
      'parallel-syncs',
      '2',
      'failover-timeout',
      '5000',
    ],
    ['SENTINEL', 'SET', 'm', 'foo', '1'],
    ['SENTINEL', 'SET', 'm', 'quorum', '2', 'foo'],
    ['SENTINEL', 'SET', 'm', 'notification-script', '/bin/true'],
    ['SENTINEL', 'SET', 'm', 'auth-pass', 'secret', 'auth-user', 'me'],
    ['SENTINEL', 'SET', 'm', 'rename-command', 'CONFIG', 'geheim'],
    ['SENTINEL', 'SET', 'm', 'rename-command', 'CONFIG'],
    ['SENTINEL', 'SET', 'm', 'master-reboot-down-after-period', '100'],
    ['SENTINEL', 'SET', 'm', 'master-reboot-down-after-period', '-1'],
    ['SENTINEL', 'MASTER', 'm'],
    ['SENTINEL', 'REPLICAS', 'm'],
    ['SENTINEL', 'SENTINELS', 'm'],
    ['SENTINEL', 'CKQUORUM', 'm'],
    ['SENTINEL', 'CKQUORUM', 'n'],
    ['SENTINEL', 'FAILOVER', 'm'],
    ['SENTINEL', 'INFO-CACHE', 'm'],
    ['SENTINEL', 'IS-MASTER-DOWN-BY-ADDR', '127.0.0.1', '1', '5', 'a'.repeat(40)],
    ['SENTINEL', 'IS-MASTER-DOWN-BY-ADDR', '127.0.0.1', '1', '5', 'b'.repeat(40)],
    ['SENTINEL', 'IS-MASTER-DOWN-BY-ADDR', '127.0.0.1', '1', '4', 'b'.repeat(40)],
    ['SENTINEL', 'RESET', 'M'],
    ['SENTINEL', 'RESET', '[xm]'],
    ['SENTINEL', 'REMOVE', 'm'],
    ['SENTINEL', 'REMOVE', 'n'],
    ['SENTINEL', 'MASTERS'],
  ],
};

describe('a Sentinel answers as a real one', whenRedisIsInstalled, () => {
  const servers: Server[] = [];
  before(async () => {
    servers.push(...(await Promise.all([startSentinel('sorrel'), startSentinel('redis')])));
  });

  for (const protocol of [2, 3] satisfies Protocol[]) {
    for (const [name, commands] of Object.entries(SEQUENCES)) {
      it(`${name}, RESP${protocol}`, async () => {
        const clients = await Promise.all(servers.map(({ port }) => RawClient.connect(port, protocol)));
        const answers: string[][] = [[], []];
        for (const command of commands) {
          for (const [i, client] of clients.entries()) {
            const reply = withoutChance(printable((await client.call([...command])).raw, 10_000));
            answers[i]?.push(`${command.join(' ')}: ${reply}`);
          }
        }
        assert.deepEqual(answers[0], answers[1]);
        for (const client of clients) client.close();
      });
    }
  }
});
