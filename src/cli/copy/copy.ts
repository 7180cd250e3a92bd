import { parseArgs } from 'node:util';
import { interruptible } from '../interruptible.js';
import { counted, ProgressBar } from '../progress-bar.js';
import { type CopyReport, copyEverything } from './copy-everything.js';
import { runLiveCopy } from './copy-live.js';
import { CopyPlace } from './copy-place.js';
import { CopyState } from './copy-state.js';

/** `sorrel copy FROM TO` */
export async function runCopy(parameters: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: {
      replace: { type: 'boolean', default: false },
      delete: { type: 'boolean', default: false },
      state: { type: 'string' },
      live: { type: 'boolean', default: false },
      switch: { type: 'boolean', default: false },
      pause: { type: 'string' },
      'source-address': { type: 'string' },
    },
  });
  const [from, to] = positionals;
  if (from === undefined || to === undefined || positionals.length !== 2) {
    throw new Error('name the address to copy from and the one to copy to: sorrel copy FROM TO');
  }
  if (from === to) throw new Error('both addresses are the same');
  if (values.live) return runLiveCopy(from, to, values);
  const onlyLive = (['switch', 'pause', 'source-address'] as const).find((name) => values[name]);
  if (onlyLive !== undefined) throw new Error(`--${onlyLive} is only for --live`);
  const state = new CopyState(from, to, values.state);
  const interruption = interruptible(`interrupted; the same command resumes the copy (${state.path})`);
  const places: CopyPlace[] = [];
  const bar = new ProgressBar();
  try {
    const source = await CopyPlace.open(from, 'source');
    places.push(source);
    const target = await CopyPlace.open(to, 'target');
    places.push(target);
    const report = await copyEverything(source, target, state, {
      replace: values.replace,
      delete: values.delete,
      signal: interruption.signal,
      onProgress: progressOn(bar),
    });
    await target.finish();
    bar.clear();
    const areEqual = describe(source, target, report, values);
    if (areEqual || !target.canBeGoneOnWith) state.remove();
    if (!areEqual) process.exitCode = 1;
  } finally {
    bar.clear();
    interruption.end();
    for (const place of places) await place.close();
  }
}

function progressOn(bar: ProgressBar): (phase: string, done: number, total: number) => void {
  let phaseNow = '';
  let startedAt = 0;
  return (phase, done, total) => {
    if (phase !== phaseNow) {
      phaseNow = phase;
      startedAt = performance.now();
    }
    const rate = (done * 1000) / Math.max(1, performance.now() - startedAt);
    const share = total === 0 ? 1 : Math.min(1, done / total);
    bar.show(share, `${counted(done, 'key')} ${phase}, ${Math.round(rate).toLocaleString('en-US')} a second`);
  };
}

/** Prints what was done. Returns whether both places are the same now, as far as the options demand. */
function describe(
  source: CopyPlace,
  target: CopyPlace,
  report: CopyReport,
  { replace, delete: mayDelete }: { readonly replace: boolean; readonly delete: boolean },
): boolean {
  const { keys, databases, libraries, repaired, differing, surplus } = report;
  const functions =
    libraries === 0 ? '' : ` and ${counted(libraries, 'function library', 'function libraries')}`;
  console.log(`${source.shown} → ${target.shown}`);
  console.log(`  copied    ${counted(keys, 'key')} of ${counted(databases, 'database')}${functions}`);
  if (repaired > 0)
    console.log(`  repeated  ${counted(repaired, 'key')} changed meanwhile or came from an earlier run`);
  if (differing > 0) {
    console.error(
      `  differ    ${counted(differing, 'key')}: the source is being written to; stop that and repeat`,
    );
  }
  if (surplus > 0 && mayDelete) console.log(`  deleted   ${counted(surplus, 'key')} only at the target`);
  else if (surplus > 0) {
    console.log(
      `  surplus   ${counted(surplus, 'key')} only at the target, or deleted at the source meanwhile: ` +
        '--delete removes them',
    );
  }
  if (differing === 0)
    console.log('  verified  every key, value and time to live is the same at both places');
  return differing === 0 && (surplus === 0 || replace || mayDelete);
}
