import { test } from 'node:test';
import fc from 'fast-check';
import { type Command, show } from './command.js';
import { agree, showOutcome, type Tolerance, usualTolerance } from './comparison.js';
import { callerPlace, failure } from './failure.js';
import { freshPair, type ServerPair, SIDES, type Side, whenRedisIsInstalled } from './pair.js';
import type { Protocol, RawClient } from './raw-client.js';
import { bytesOf, itemsOf, plain, printable, type Reply } from './reply.js';

/** A generated command. Its own tolerance is added to the default one for its name. */
export type GeneratedCommand = Command | (Tolerance & { readonly send: Command });

export interface GeneratedOptions {
  /** The number of sequences. The default is 30. SORREL_RUNS multiplies it. */
  readonly runs?: number;
  /** The maximum length of a sequence. The default is 80. */
  readonly steps?: number;
  /** The default is 2. */
  readonly protocol?: Protocol;
  /** Sent before every sequence, on the same connection, and not compared: settings, initial keys. */
  readonly setup?: readonly Command[];
}

/**
 * Random sequences of `commands`, each sent to both servers in one write. Every reply is compared, and at the end the whole
 * keyspace. A failing sequence is shrunk. The seed is derived from the name, so that a run can be repeated. SORREL_SEED=random
 * chooses a new seed, SORREL_SEED=n repeats the run of a failure message.
 */
export function generated(
  name: string,
  commands: fc.Arbitrary<GeneratedCommand>,
  options: GeneratedOptions = {},
): void {
  const place = callerPlace();
  const { runs = 30, steps = 80, protocol = 2 } = options;
  test(`${name} (generated, RESP${protocol})`, whenRedisIsInstalled, async () => {
    await freshPair(); // servers that do not start are not a failure of the sequence
    const seed = seedFor(name);
    const property = fc.asyncProperty(
      fc.array(commands, { minLength: 1, maxLength: steps, size: 'max' }),
      async (sequence) => {
        const difference = await firstDifference(sequence, protocol, options.setup ?? []);
        if (difference !== undefined) throw failure(difference);
      },
    );
    const result = await fc.check(property, { seed, numRuns: runs * runFactor(), endOnFailure: false });
    if (result.failed) throw failure(explain(result, place));
  });
}

function explain(result: fc.RunDetails<[GeneratedCommand[]]>, place: string): string {
  const commands = result.counterexample?.[0].map((command) => `    ${show(commandOf(command))}`) ?? [];
  const reason =
    result.errorInstance instanceof Error ? result.errorInstance.message : String(result.errorInstance);
  return [
    reason,
    `  ${place}`,
    '',
    `  shortest failing sequence (seed ${result.seed}, run ${result.numRuns}, shrunk ${result.numShrinks} times):`,
    ...commands,
    '',
    `  repeat with SORREL_SEED=${result.seed}`,
  ].join('\n');
}

function seedFor(name: string): number {
  const wanted = process.env['SORREL_SEED'];
  if (wanted === 'random') return Math.floor(Math.random() * 0x7fffffff);
  if (wanted !== undefined) return Number(wanted);
  let hash = 7;
  for (const character of name) hash = (hash * 31 + character.charCodeAt(0)) | 0;
  return hash;
}

function runFactor(): number {
  return Number(process.env['SORREL_RUNS'] ?? 1);
}

function commandOf(generatedCommand: GeneratedCommand): Command {
  return isPlainCommand(generatedCommand) ? generatedCommand : generatedCommand.send;
}

function toleranceOf(generatedCommand: GeneratedCommand): Tolerance {
  const usual = usualTolerance(commandOf(generatedCommand));
  return isPlainCommand(generatedCommand) ? usual : { ...usual, ...generatedCommand };
}

function isPlainCommand(generatedCommand: GeneratedCommand): generatedCommand is Command {
  return typeof generatedCommand === 'string' || Array.isArray(generatedCommand);
}

async function firstDifference(
  sequence: GeneratedCommand[],
  protocol: Protocol,
  setup: readonly Command[],
): Promise<string | undefined> {
  const pair = await freshPair();
  const connection = await pair.connect(protocol);
  for (const command of setup) {
    await pair.noteSettings(command);
    for (const side of SIDES) await connection[side].call(command);
  }
  for (const command of sequence) await pair.noteSettings(commandOf(command));
  const commands = sequence.map(commandOf);
  const [redis, sorrel] = await Promise.all(SIDES.map((side) => repliesTo(commands, connection[side])));
  return compareReplies(sequence, redis!, sorrel!) ?? (await compareKeyspaces(pair));
}

/** Sent after the sequence, so that its end is found even when the number of replies is wrong. */
const END = 'the end of the generated sequence';

async function repliesTo(commands: Command[], client: RawClient): Promise<Reply[] | string> {
  client.send(...commands, ['ECHO', END]);
  const replies: Reply[] = [];
  try {
    for (;;) {
      const reply = await client.next();
      if (reply.type === 'bulk' && reply.bytes.equals(Buffer.from(END))) return replies;
      // In an open MULTI the mark is queued instead of echoed; the sequence then ends after the expected number of replies.
      if (replies.length === commands.length) return replies;
      replies.push(reply);
    }
  } catch (error) {
    return `${(error as Error).message} after ${replies.length} of ${commands.length} replies`;
  }
}

function compareReplies(
  sequence: GeneratedCommand[],
  redis: Reply[] | string,
  sorrel: Reply[] | string,
): string | undefined {
  if (typeof redis === 'string' || typeof sorrel === 'string') {
    return redis === sorrel ? undefined : difference('the whole sequence', summary(redis), summary(sorrel));
  }
  for (let i = 0; i < Math.max(redis.length, sorrel.length); i++) {
    const command = sequence[i];
    const text = command === undefined ? 'a reply too many' : `#${i + 1}  ${show(commandOf(command))}`;
    const [fromRedis, fromSorrel] = [redis[i], sorrel[i]];
    if (fromRedis === undefined || fromSorrel === undefined) {
      return difference(text, showReply(fromRedis), showReply(fromSorrel));
    }
    if (!agree(fromSorrel, fromRedis, command === undefined ? {} : toleranceOf(command))) {
      return difference(text, showOutcome(fromRedis), showOutcome(fromSorrel));
    }
  }
  return undefined;
}

function difference(text: string, redis: string, sorrel: string): string {
  return `${text}\n    redis   ${redis}\n    sorrel  ${sorrel}`;
}

function showReply(reply: Reply | undefined): string {
  return reply === undefined ? '(no reply)' : printable(reply.raw);
}

function summary(replies: Reply[] | string): string {
  return typeof replies === 'string' ? replies : `${replies.length} replies`;
}

/**
 * First key by key, for a clear message; then DEBUG DIGEST, which also covers the other
 * databases, expiry and details that no single command shows.
 */
async function compareKeyspaces(pair: ServerPair): Promise<string | undefined> {
  const [redisKeys, sorrelKeys] = await Promise.all(SIDES.map((side) => sortedKeys(pair, side)));
  const [redisList, sorrelList] = [redisKeys!, sorrelKeys!].map((keys) =>
    keys.map((key) => printable(key)).join(' '),
  );
  if (redisList !== sorrelList) return difference('KEYS * at the end', redisList!, sorrelList!);
  for (const key of redisKeys!) {
    const differs = await compareKey(pair, key);
    if (differs !== undefined) return differs;
  }
  return ask(pair, ['DEBUG', 'DIGEST']);
}

async function sortedKeys(pair: ServerPair, side: Side): Promise<Buffer[]> {
  const keys = itemsOf(await pair.ask(side, ['KEYS', '*'])).map(bytesOf);
  return keys.sort(Buffer.compare);
}

async function compareKey(pair: ServerPair, key: Buffer): Promise<string | undefined> {
  const type = String(plain(await pair.ask('redis', ['TYPE', key])));
  const content = CONTENT_QUESTIONS[type]?.(key);
  const encoding = await ask(pair, ['OBJECT', 'ENCODING', key]);
  return (await ask(pair, ['TYPE', key])) ?? (content && (await ask(pair, content))) ?? encoding;
}

const CONTENT_QUESTIONS: Readonly<Record<string, (key: Buffer) => Command>> = {
  string: (key) => ['GET', key],
  list: (key) => ['LRANGE', key, 0, -1],
  set: (key) => ['SMEMBERS', key],
  hash: (key) => ['HGETALL', key],
  zset: (key) => ['ZRANGE', key, 0, -1, 'WITHSCORES'],
  stream: (key) => ['XRANGE', key, '-', '+'],
};

async function ask(pair: ServerPair, question: Command): Promise<string | undefined> {
  const [redis, sorrel] = await Promise.all(SIDES.map((side) => pair.ask(side, question)));
  if (agree(sorrel!, redis!, usualTolerance(question))) return undefined;
  return difference(`${show(question)} at the end`, showReply(redis), showReply(sorrel));
}
