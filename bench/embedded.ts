/**
 * Five commands in every way a program can call them: an embedded store at once and awaited, ioredis on the embedded
 * engine, ioredis to redis-server (awaited one by one, auto-pipelined, in pipelines of 100), ioredis-mock. Each has a
 * process of its own, as in a program; alternating rounds; prints medians, ratios and what is aimed at. Options: --rounds=5 --milliseconds=200
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { startRedis } from '../tests/support/fleet/index.js';
import {
  AWAITED,
  COMMANDS,
  type CommandName,
  MOCK,
  type Rate,
  REMOTE,
  SYNC,
  WAYS,
} from './support/embedded-ways.js';
import { median, option, printTable, progress, thousands } from './support/measure.js';

async function ask<Answer>(child: ChildProcess, question: object): Promise<Answer> {
  child.send(question);
  const [answer] = await once(child, 'message');
  return answer as Answer;
}

const names = Object.keys(WAYS);
const server = await startRedis();
const processes = new Map<string, ChildProcess>();
for (const name of names) {
  const module = new URL('./support/embedded-process.ts', import.meta.url);
  const child = fork(module, [name, `${server.port}`], { execArgv: ['--import', 'tsx'] });
  await once(child, 'message');
  processes.set(name, child);
}

const rounds = option('rounds', 5);
const milliseconds = option('milliseconds', 200);
const rates = new Map<string, Rate>();
for (const command of COMMANDS) {
  const measured = new Map(names.map((name) => [name, [] as Rate[]]));
  // The first round warms up and does not count.
  for (let round = 0; round <= rounds; round++) {
    progress(`${command}: round ${round} of ${rounds}`);
    for (const [name, results] of measured) {
      const rate = await ask<Rate>(processes.get(name) as ChildProcess, { command, milliseconds });
      if (round > 0) results.push(rate);
    }
  }
  for (const [name, results] of measured) {
    rates.set(`${command} ${name}`, {
      byClock: median(results.map(({ byClock }) => byClock)),
      byProcessor: median(results.map(({ byProcessor }) => byProcessor)),
    });
  }
}
progress('');

function rate(way: string, command: CommandName, by: keyof Rate = 'byClock'): number {
  const { [by]: figure } = rates.get(`${command} ${way}`) as Rate;
  return figure;
}

console.log('\nCalls a second');
printTable(
  ['', ...COMMANDS],
  names.map((name) => [name, ...COMMANDS.map((command) => thousands(rate(name, command)))]),
);

interface Aim {
  readonly what: string;
  readonly of: (command: CommandName) => number;
  readonly unit: string;
  readonly goal: number;
  /** Below this it is not good enough. */
  readonly floor?: number;
}

const AIMS: readonly Aim[] = [
  {
    what: `${SYNC}, million a second`,
    of: (command) => rate(SYNC, command) / 1e6,
    unit: '',
    goal: 3,
    floor: 1.5,
  },
  {
    what: `${SYNC}, million a second of processor time`,
    of: (command) => rate(SYNC, command, 'byProcessor') / 1e6,
    unit: '',
    goal: 3,
    floor: 1.5,
  },
  {
    what: `${SYNC} : ioredis awaited`,
    of: (command) => rate(SYNC, command) / rate(REMOTE, command),
    unit: '×',
    goal: 100,
  },
  {
    what: 'store awaited : ioredis awaited',
    of: (command) => rate(AWAITED, command) / rate(REMOTE, command),
    unit: '×',
    goal: 20,
    floor: 10,
  },
  {
    what: 'store awaited : ioredis-mock',
    of: (command) => rate(AWAITED, command) / rate(MOCK, command),
    unit: '×',
    goal: 10,
  },
];

console.log('\nWhat is aimed at');
printTable(
  ['', ...COMMANDS, 'median', 'goal', 'floor', ''],
  AIMS.map(({ what, of, unit, goal, floor }) => {
    const figures = COMMANDS.map(of);
    const middle = median(figures);
    const verdict =
      middle >= goal ? 'reached' : floor !== undefined && middle < floor ? 'BELOW THE FLOOR' : 'missed';
    const show = (figure: number): string => `${figure.toFixed(figure < 10 ? 2 : 0)}${unit}`;
    return [
      what,
      ...figures.map(show),
      show(middle),
      `${goal}${unit}`,
      floor === undefined ? '' : `${floor}${unit}`,
      verdict,
    ];
  }),
);

for (const child of processes.values()) child.disconnect();
await server.stop();
