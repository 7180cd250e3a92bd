import { interruptible } from '../interruptible.js';
import { ProgressBar } from '../progress-bar.js';
import { LiveMove } from './live-move.js';

export interface LiveValues {
  readonly replace: boolean;
  readonly delete: boolean;
  readonly switch: boolean;
  readonly state?: string | undefined;
  readonly pause?: string | undefined;
  readonly 'source-address'?: string | undefined;
}

/** `sorrel copy --live FROM TO` */
export async function runLiveCopy(from: string, to: string, values: LiveValues): Promise<void> {
  if (values.delete || values.state !== undefined) {
    throw new Error(
      `--${values.delete ? 'delete' : 'state'} is not for --live: the target becomes a replica`,
    );
  }
  const pauseMs = Number(values.pause ?? DEFAULT_PAUSE_MS);
  if (!Number.isInteger(pauseMs) || pauseMs < 1) {
    throw new Error(`--pause must be a number of milliseconds above 0, not ${values.pause}`);
  }
  const interruption = interruptible('interrupted; the same command continues');
  const bar = new ProgressBar();
  let received = 0;
  const move = await LiveMove.open(from, to, {
    replace: values.replace,
    sourceAddress: values['source-address'],
    pauseMs,
    signal: interruption.signal,
    onReceived: (bytes, total) => {
      received = bytes;
      bar.show(total === 0 ? 0 : bytes / total, `${megabytes(bytes)} received`);
    },
    onFollowing: (behind) => bar.show(1, `follows, ${megabytes(behind)} behind`),
  });
  try {
    await move.follow();
    bar.clear();
    console.log(`${move.source.shown} → ${move.target.shown}`);
    if (received > 0) console.log(`  received  ${megabytes(received)}`);
    if (!values.switch) {
      console.log('  follows   every change; the same command with --switch exchanges the roles');
      return;
    }
    const ms = await move.switchOver();
    console.log(`  switched  writes waited ${Math.ceil(ms)} ms; ${move.target.shown} is the master`);
    console.log(
      `  follows   ${move.source.shown} is its replica and refuses writes: point the clients to the master`,
    );
  } finally {
    bar.clear();
    interruption.end();
    await move.close();
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toLocaleString('en-US', { maximumFractionDigits: 1 })} MB`;
}

const DEFAULT_PAUSE_MS = 10_000;
