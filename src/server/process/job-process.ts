import { spawn } from 'node:child_process';
import type { Settings } from '../../commands/config/settings.js';
import type { JobProcess } from '../../persistence/snapshot/snapshot-job.js';
import type { OomScore } from './oom-score.js';

/**
 * Starts a process that stands for a background job, where DEBUG is enabled: tests of Redis kill the child that writes a snapshot, to
 * see what happens if a save fails. The process does nothing: the job runs in the server, and is aborted if the process is killed.
 * Undefined where DEBUG is not enabled, or if no process can be started. Its input is closed when the server ends, which ends it, too.
 */
export function startJobProcess(settings: Settings, oomScore: OomScore): JobProcess | undefined {
  if (settings.text('enable-debug-command') === 'no') return undefined;
  const child = spawn('cat', { argv0: 'sorrel-background-job', stdio: ['pipe', 'ignore', 'ignore'] });
  child.on('error', () => {});
  const { pid, stdin } = child;
  if (pid === undefined) return undefined;
  oomScore.adjustChild(pid);
  child.unref();
  stdin.on('error', () => {});
  const job = { pid, onKilled: (): void => {}, end: (): void => void stdin.end() };
  child.on('exit', (_code, signal) => {
    if (signal !== null) job.onKilled();
  });
  return job;
}
