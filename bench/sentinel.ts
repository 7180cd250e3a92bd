/**
 * How long it takes from the end of a master until clients are told another one: three Sentinels of ours, and three real
 * ones, at equal settings, over real servers, in alternating rounds.
 * Options: --rounds=5 --down-after=1000
 */
import { ask, type MemberKind, startSentinelGroup } from '../tests/support/fleet/index.js';
import { median, option, printTable, progress } from './support/measure.js';

const rounds = option('rounds', 5);
const downAfter = option('down-after', 1000);
const NAMES = ['sorrel', 'redis'] as const;

async function measure(kind: MemberKind): Promise<{ first: number; all: number }> {
  const group = await startSentinelGroup([], ['redis', 'redis'], [kind, kind, kind]);
  try {
    for (const port of group.sentinelPorts) {
      await ask(port, 'SENTINEL', 'SET', group.name, 'down-after-milliseconds', String(downAfter));
      // As a Sentinel has them by default.
      await ask(
        port,
        'SENTINEL',
        'DEBUG',
        'info-period',
        '10000',
        'publish-period',
        '2000',
        'ask-period',
        '1000',
      );
    }
    const former = await group.masterPort();
    group.servers.find(({ port }) => port === former)?.process.kill('SIGKILL');
    const killedAt = performance.now();
    const switched = await Promise.all(
      group.sentinelPorts.map(async (port) => {
        for (;;) {
          const address = await ask(port, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', group.name);
          if (Array.isArray(address) && address[1] !== String(former)) return performance.now() - killedAt;
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      }),
    );
    return { first: Math.min(...switched), all: Math.max(...switched) };
  } finally {
    await group.stop();
  }
}

const found: Record<MemberKind, { first: number; all: number }[]> = { sorrel: [], redis: [] };
for (let round = 1; round <= rounds; round++) {
  for (const kind of NAMES) {
    progress(`round ${round} of ${rounds}: ${kind}`);
    found[kind].push(await measure(kind));
  }
}
progress('');
console.log(
  `\nFrom the end of the master, down-after-milliseconds ${downAfter}: ms until clients are told another one`,
);
printTable(
  ['Sentinels', 'by the first', 'by all'],
  NAMES.map((kind) => [
    kind,
    median(found[kind].map(({ first }) => first)).toFixed(0),
    median(found[kind].map(({ all }) => all)).toFixed(0),
  ]),
);
