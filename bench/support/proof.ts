import type { Loader } from './load.js';
import type { ServerTest } from './server-tests.js';

/** What a server counted during one round. */
interface Counts {
  readonly calls: number;
  readonly hits: number;
  readonly misses: number;
  readonly outputBytes: number;
  /** Elements left, where each request removes one. */
  readonly left: number;
}

/**
 * Runs one round and proves by the server's own counters that it was what the row says: as many calls as asked for, none
 * refused or failed, no miss where every request should hit, replies long enough, nothing run dry. Throws otherwise.
 */
export async function provenRound<Result>(
  client: Loader,
  test: ServerTest,
  requests: number,
  round: () => Promise<Result>,
): Promise<Result> {
  await client.ask('CONFIG', 'RESETSTAT');
  const before = await elementsLeft(client, test);
  const result = await round();
  const counts = await readCounts(client, test);
  const fail = (what: string): never => {
    throw new Error(`${test.name} did not measure what it says: ${what}`);
  };
  if (counts.calls < requests) fail(`${counts.calls} calls of ${requests} succeeded`);
  if (test.hits && (counts.misses > 0 || counts.hits < counts.calls)) {
    fail(`${counts.misses} misses, ${counts.hits} hits in ${counts.calls} calls`);
  }
  if (test.replyBytes !== undefined && counts.outputBytes < counts.calls * test.replyBytes) {
    fail(`replies have ${counts.outputBytes / counts.calls} bytes, not ${test.replyBytes}`);
  }
  if (test.removesFrom !== undefined && (counts.left === 0 || before - counts.left !== counts.calls)) {
    fail(`${counts.calls} calls removed ${before - counts.left} of ${before} elements`);
  }
  return result;
}

async function elementsLeft(client: Loader, { removesFrom }: ServerTest): Promise<number> {
  return removesFrom === undefined ? 0 : Number((await client.ask(...removesFrom)).slice(1, -2));
}

async function readCounts(client: Loader, test: ServerTest): Promise<Counts> {
  // First, so that the bytes of these replies are not counted.
  const stats = await client.ask('INFO', 'stats');
  const commands = await client.ask('INFO', 'commandstats');
  const left = await elementsLeft(client, test);
  const name = (test.words[0] as string).toLowerCase();
  const line = new RegExp(`^cmdstat_${name}:calls=(\\d+),.*rejected_calls=(\\d+),failed_calls=(\\d+)`, 'm');
  const [calls = 0, rejected = 0, failed = 0] = line.exec(commands)?.slice(1).map(Number) ?? [];
  const field = (field: string): number => Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(stats)?.[1]);
  return {
    calls: calls - rejected - failed,
    hits: field('keyspace_hits'),
    misses: field('keyspace_misses'),
    outputBytes: field('total_net_output_bytes'),
    left,
  };
}
