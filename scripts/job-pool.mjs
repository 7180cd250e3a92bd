import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { projectRoot } from './steps.mjs';

/**
 * @typedef {object} Job
 * @property {string} name
 * @property {readonly string[]} command the parameters of Node
 * @property {Record<string, string>} [environment]
 * @property {() => Promise<unknown>} [after] what it waits for before it starts
 *
 * @typedef {object} JobResult
 * @property {number} status the exit code
 * @property {string} output what it printed
 * @property {number} seconds
 * @property {number} cpuSeconds of the process and those that it started; 0 where the system does not tell
 */

/**
 * Runs jobs in their order, a limited number at a time.
 * @param {readonly Job[]} jobs
 * @param {number} slots
 * @param {(job: Job, result: JobResult) => void} onResult called when a job has ended
 */
export async function runJobs(jobs, slots, onResult) {
  const waiting = [...jobs];
  const running = new Set();
  const stop = (signal) => {
    for (const child of running) child.kill(signal);
    process.exit(1);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, stop);
  const work = async () => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      await job.after?.();
      onResult(job, await runJob(job, running));
    }
  };
  await Promise.all(Array.from({ length: slots }, work));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(signal, stop);
}

/** @returns {Promise<JobResult>} */
function runJob({ command, environment }, running) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, command, {
    cwd: projectRoot,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  running.add(child);
  const output = [];
  child.stdout.on('data', (chunk) => output.push(chunk));
  child.stderr.on('data', (chunk) => output.push(chunk));
  let cpuSeconds = 0;
  child.once('exit', () => {
    running.delete(child);
    cpuSeconds = cpuOfEndedChildren();
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      const seconds = (performance.now() - startedAt) / 1000;
      resolve({ status: code ?? 1, output: Buffer.concat(output).toString(), seconds, cpuSeconds });
    });
  });
}

let countedTicks = 0;

/** The CPU time of the children that have ended since the last call, with that of their own children. */
function cpuOfEndedChildren() {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
    // cutime and cstime, in hundredths of a second.
    const ticks = Number(fields[13]) + Number(fields[14]);
    const more = ticks - countedTicks;
    countedTicks = ticks;
    return more / 100;
  } catch {
    return 0;
  }
}
