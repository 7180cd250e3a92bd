import { checkAof, type FileReport } from '../persistence/aof/check-aof.js';

/** `sorrel check-aof [--fix] [--truncate-to-timestamp N] FILE` */
export function runCheckAof(parameters: readonly string[]): void {
  const { path, fixes, truncateTo } = parse(parameters);
  const reports = checkAof(path, { fixes, truncateTo, onProgress: showProgress });
  clearProgress();
  for (const report of reports) describe(report, truncateTo);
  const isSound = ({ damage, truncatedTo }: FileReport): boolean =>
    damage === undefined || truncatedTo !== undefined;
  if (!reports.every(isSound)) process.exitCode = 1;
}

interface Request {
  readonly path: string;
  readonly fixes: boolean;
  readonly truncateTo: number | undefined;
}

function parse(parameters: readonly string[]): Request {
  let fixes = false;
  let truncateTo: number | undefined;
  const paths: string[] = [];
  for (let i = 0; i < parameters.length; i++) {
    const word = parameters[i] as string;
    if (word === '--fix') fixes = true;
    else if (word === '--truncate-to-timestamp') {
      truncateTo = Number(parameters[++i]);
      if (!Number.isInteger(truncateTo) || truncateTo <= 0) {
        throw new Error('--truncate-to-timestamp takes a time in Unix seconds');
      }
    } else if (word.startsWith('--')) throw new Error(`there is no option '${word}'`);
    else paths.push(word);
  }
  const [path] = paths;
  if (path === undefined || paths.length !== 1) {
    throw new Error('which file? sorrel check-aof [--fix] FILE, or the manifest for all files');
  }
  return { path, fixes, truncateTo };
}

function describe(report: FileReport, truncateTo: number | undefined): void {
  const { name, bytes, keys, commands, soundUpTo, damage, truncatedTo, sha256 } = report;
  if (damage === undefined) console.log(`${name} is sound`);
  else {
    console.error(`${name} is damaged at byte ${damage.position}: ${damage.reason}`);
    console.error(`  sound        up to byte ${soundUpTo} of ${bytes}`);
  }
  if (truncatedTo !== undefined) {
    const why = damage === undefined ? `, to be as it was at ${truncateTo}` : '';
    console.log(`  truncated    to ${truncatedTo} bytes (${bytes - truncatedTo} less)${why}`);
  } else if (damage !== undefined) {
    console.error(
      "  to fix it    make a copy, then use '--fix': it cuts off what is not sound of the last file",
    );
  }
  console.log(`  holds        ${keys} keys (RDB), ${commands} commands, ${truncatedTo ?? bytes} bytes`);
  console.log(`  SHA-256      ${sha256}`);
}

/** A bar on the terminal; nothing if standard error is not a terminal. */
function showProgress(progress: {
  readonly name: string;
  readonly position: number;
  readonly size: number;
}): void {
  if (!process.stderr.isTTY) return;
  const share = progress.size === 0 ? 1 : progress.position / progress.size;
  const bar = '█'.repeat(Math.round(share * BAR_WIDTH)).padEnd(BAR_WIDTH, '░');
  process.stderr.write(`\r\x1b[K${bar} ${Math.floor(share * 100)}% ${progress.name}`);
}

function clearProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
}

const BAR_WIDTH = 30;
