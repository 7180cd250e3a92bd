/**
 * A process that works on a queue, for queue.test.ts. Arguments: address, queue, how many tasks at once, ms by which its
 * clock is wrong, name, and `sandbox` for a handler in a process of its own (queue-sandbox.mjs). It puts its name into the set `<queue>:ready`, and into the list `<queue>:log` what it does: `begin
 * text name`, `lost id name`. A task whose text begins with `hold` waits until there is something in the list
 * `<queue>:go`. SIGTERM stops it gracefully.
 */
const [address = '', name = '', concurrency = '', skew = '', self = '', place = ''] = process.argv.slice(2);

const realNow = Date.now;
Date.now = () => realNow() + Number(skew);

// Loaded after the clock was set wrong.
const { open } = await import('../../../src/store/index.js');
const { queue } = await import('../../../src/kit/queue/index.js');
const { chore, QUEUE_LEASE_MS, QUEUE_OPTIONS } = await import('./queue-task.js');
const { openAnyway } = await import('./open-anyway.js');

const store = await openAnyway(open, address);
/** Again when the connection was cut: a line may be there twice. */
const log = async (...words: string[]): Promise<void> => {
  while (!(await succeeds(store.send('RPUSH', `${name}:log`, [...words, self].join(' ')))));
};

function succeeds(call: Promise<unknown>): Promise<boolean> {
  return call.then(
    () => true,
    (error: unknown) => {
      if ((error as { code?: string }).code !== 'UNREACHABLE') throw error;
      return false;
    },
  );
}

const handler = chore.handle(async (text, task) => {
  await log('begin', text);
  if (text.startsWith('hold')) {
    while (!(await succeeds(store.send('BLMOVE', `${name}:go`, `${name}:go`, 'LEFT', 'LEFT', 0))));
  }
  if (text.startsWith('fail') && task.attempt === 1) throw new Error('the first attempt fails');
  else await new Promise((resolve) => setTimeout(resolve, text.length % 7));
  return `${text} done`;
});

const sandboxed = chore.sandbox(new URL('queue-sandbox.mjs', import.meta.url));
const worker = queue(store, name, QUEUE_OPTIONS).work(place === 'sandbox' ? sandboxed : handler, {
  lease: QUEUE_LEASE_MS,
  concurrency: Number(concurrency),
  onLost: ({ id }) => void log('lost', id).catch(() => {}),
  onError: () => {},
});

// Before another process can know that it is there.
process.once('SIGTERM', async () => {
  await worker.stop();
  await store.close();
});
for (;;) {
  // The connection may be cut just now.
  const isTold = await store.send('SADD', `${name}:ready`, self).then(
    () => true,
    () => false,
  );
  if (isTold) break;
}
