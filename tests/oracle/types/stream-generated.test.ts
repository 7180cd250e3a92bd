import fc from 'fast-check';
import { type Command, type GeneratedCommand, generated } from '../support/index.js';
import { timesDiffer } from './stream-support.js';

/** Random commands on streams and groups. IDs are explicit: two servers would choose different ones. */

const word = (...words: string[]): fc.Arbitrary<string> => fc.constantFrom(...words);
const key = word('s', 's', 's', 't');
const group = word('g', 'g', 'h');
const consumer = word('alice', 'bob', 'carol');
const ms = fc.integer({ min: 0, max: 12 });
const id = fc.oneof(
  fc.tuple(ms, fc.integer({ min: 0, max: 30 })).map(([time, seq]) => `${time}-${seq}`),
  fc.tuple(fc.constantFrom(8, 8, 9), fc.integer({ min: 0, max: 60 })).map(([time, seq]) => `${time}-${seq}`),
);
const nextId = fc.oneof(
  { weight: 6, arbitrary: word('8-*', '8-*', '8-*', '9-*') },
  { weight: 2, arbitrary: ms.map((time) => `${time}-*`) },
  { weight: 1, arbitrary: id },
);
const bound = fc.oneof(
  word('-', '+'),
  id,
  ms.map(String),
  id.map((one) => `(${one}`),
);
const count = fc.integer({ min: 0, max: 12 }).map(String);
const value = fc.oneof(
  fc.integer({ min: -300, max: 300_000 }).map(String),
  fc.string({ maxLength: 20, unit: 'grapheme-ascii' }),
  fc.constantFrom('', 'long'.repeat(30)),
);
const pairs = fc.oneof(
  { weight: 4, arbitrary: value.map((one) => ['a', one]) },
  { weight: 4, arbitrary: fc.tuple(value, value).map(([one, two]) => ['a', one, 'b', two]) },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.tuple(word('a', 'b', 'c', '7'), value), { minLength: 1, maxLength: 4 })
      .map((list) => list.flat()),
  },
);
const trimming = fc
  .tuple(
    fc.oneof(
      fc.tuple(word('MAXLEN'), word('=', '~', ''), fc.integer({ min: 0, max: 25 }).map(String)),
      fc.tuple(word('MINID'), word('=', '~', ''), id),
    ),
    fc.constantFrom<string[]>([], [], ['LIMIT', '0'], ['LIMIT', '3'], ['LIMIT', '7']),
  )
  .map(([[strategy, operator, limit], most]) => [
    strategy,
    ...(operator === '' ? [] : [operator]),
    limit,
    ...(operator === '~' ? most : []),
  ]);

type Words = string | string[];
function command(...parts: fc.Arbitrary<Words>[]): fc.Arbitrary<Command> {
  return fc.tuple(...parts).map((words) => words.flat());
}

function timed(...parts: fc.Arbitrary<Words>[]): fc.Arbitrary<GeneratedCommand> {
  return command(...parts).map((send) => ({ send, ...timesDiffer }));
}

const entries: { weight: number; arbitrary: fc.Arbitrary<GeneratedCommand> }[] = [
  { weight: 14, arbitrary: command(word('XADD'), key, nextId, pairs) },
  { weight: 3, arbitrary: command(word('XADD'), key, trimming, nextId, pairs) },
  { weight: 3, arbitrary: command(word('XTRIM'), key, trimming) },
  {
    weight: 3,
    arbitrary: command(word('XDEL'), key, fc.array(id, { minLength: 1, maxLength: 5 })),
  },
  { weight: 2, arbitrary: command(word('XRANGE', 'XREVRANGE'), key, bound, bound) },
  { weight: 2, arbitrary: command(word('XRANGE', 'XREVRANGE'), key, bound, bound, word('COUNT'), count) },
  { weight: 1, arbitrary: command(word('XREAD'), word('COUNT'), count, word('STREAMS'), key, key, id, id) },
  { weight: 1, arbitrary: command(word('XSETID'), key, id) },
  { weight: 1, arbitrary: timed(word('XINFO'), word('STREAM'), key) },
];

const groups: { weight: number; arbitrary: fc.Arbitrary<GeneratedCommand> }[] = [
  {
    weight: 2,
    arbitrary: command(word('XGROUP'), word('CREATE'), key, group, word('0', '$', '8-3'), word('MKSTREAM')),
  },
  { weight: 1, arbitrary: command(word('XGROUP'), word('SETID'), key, group, fc.oneof(id, word('$'))) },
  {
    weight: 1,
    arbitrary: command(word('XGROUP'), word('DELCONSUMER', 'CREATECONSUMER'), key, group, consumer),
  },
  {
    weight: 6,
    arbitrary: command(
      word('XREADGROUP'),
      word('GROUP'),
      group,
      consumer,
      word('COUNT'),
      count,
      fc.constantFrom<string[]>([], [], ['NOACK']),
      word('STREAMS'),
      key,
      fc.oneof(word('>', '>', '>', '0'), id),
    ),
  },
  { weight: 4, arbitrary: command(word('XACK'), key, group, fc.array(id, { minLength: 1, maxLength: 5 })) },
  {
    weight: 2,
    arbitrary: command(
      word('XCLAIM'),
      key,
      group,
      consumer,
      word('0', '0', '50000'),
      fc.array(id, { minLength: 1, maxLength: 4 }),
      fc.subarray(['FORCE', 'JUSTID']),
      fc.constantFrom<string[]>(
        [],
        ['IDLE', '60000'],
        ['RETRYCOUNT', '5'],
        ['LASTID', '8-9'],
        ['TIME', '1000'],
      ),
    ),
  },
  {
    weight: 2,
    arbitrary: command(
      word('XAUTOCLAIM'),
      key,
      group,
      consumer,
      word('0', '50000'),
      fc.oneof(id, word('0')),
      word('COUNT'),
      fc.integer({ min: 1, max: 5 }).map(String),
      fc.constantFrom<string[]>([], ['JUSTID']),
    ),
  },
  { weight: 1, arbitrary: command(word('XPENDING'), key, group) },
  { weight: 2, arbitrary: timed(word('XPENDING'), key, group, bound, bound, count) },
  {
    weight: 1,
    arbitrary: timed(
      word('XPENDING'),
      key,
      group,
      word('IDLE'),
      word('50000'),
      bound,
      bound,
      count,
      consumer,
    ),
  },
  { weight: 2, arbitrary: timed(word('XINFO'), word('STREAM'), key, word('FULL'), word('COUNT'), word('0')) },
  { weight: 1, arbitrary: timed(word('XINFO'), word('GROUPS'), key) },
];

const any: fc.Arbitrary<GeneratedCommand> = fc.oneof(...entries, ...groups);
const small = ['CONFIG SET stream-node-max-entries 4'];

generated('streams', any, { runs: 40, steps: 120 });
generated('streams of small blocks', any, { runs: 60, steps: 120, setup: small });
generated('streams of small blocks in RESP3', any, { runs: 20, steps: 120, setup: small, protocol: 3 });
generated('streams of blocks of few bytes', any, {
  runs: 40,
  steps: 120,
  setup: ['CONFIG SET stream-node-max-bytes 200'],
});
generated('streams of blocks without limits', any, {
  runs: 10,
  setup: ['CONFIG SET stream-node-max-bytes 0 stream-node-max-entries 0'],
});
generated(
  'entries as they are dumped',
  fc.oneof(...entries, { weight: 3, arbitrary: command(word('DUMP'), key) }),
  {
    runs: 40,
    setup: small,
  },
);
