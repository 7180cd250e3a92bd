import { appendFileSync, readFileSync } from 'node:fs';
import { isMainThread, threadId } from 'node:worker_threads';

/** A handler for sandbox.test.ts, in its own process or thread. The data tells it what to do. */
export default async function handle({ what, file }, task) {
  if (file !== undefined) appendFileSync(file, `${process.pid} ${threadId}\n`);
  const isAgain = file !== undefined && readFileSync(file, 'utf8').trim().includes('\n');
  if (what === 'talk') {
    await task.log('hello from the sandbox');
    await task.progress(50);
    await task.update({ what: 'changed' });
    const isChild = !isMainThread || process.connected === true;
    const [inputs, dead] = [await task.inputs(), await task.deadInputs()];
    return { id: task.id, attempt: task.attempt, inputs, dead, isChild };
  }
  if (what === 'fail') throw new TypeError('it fails');
  if (what === 'hopeless') throw Object.assign(new Error('no'), { name: 'NoRetryError' });
  if (what === 'postpone')
    throw Object.assign(new Error('not yet'), { name: 'PostponeError', delay: 60_000 });
  if (what === 'odd')
    throw Object.assign(new Error('odd'), {
      name: 'PostponeError',
      delay: 'soon',
      stack: null,
      code: () => {},
    });
  if (what === 'odder') throw Object.create(null);
  while (what === 'loop');
  if (what === 'die' || (what === 'die once' && !isAgain)) process.exit(1);
  if (what === 'wait once' && !isAgain) await new Promise((resolve) => setTimeout(resolve, 600_000));
  return file === undefined ? undefined : 'survived';
}
