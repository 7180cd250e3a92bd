import { type CheckProgress, checkRdb, type RdbReport } from '../persistence/rdb-check.js';
import { DamagedFile } from '../rdb/rdb-loader.js';

/** `sorrel check-rdb FILE` */
export function runCheckRdb(parameters: readonly string[]): void {
  const [path] = parameters;
  if (path === undefined || parameters.length !== 1) throw new Error('which file? sorrel check-rdb FILE');
  let last: CheckProgress | undefined;
  try {
    const report = checkRdb(path, (progress) => {
      last = progress;
      showProgress(progress);
    });
    clearProgress();
    describe(path, report);
  } catch (error) {
    clearProgress();
    if (!(error instanceof DamagedFile)) throw error;
    console.error(`${path} is damaged at byte ${error.position}: ${error.reason}`);
    console.error(`${count(last?.keys ?? 0, 'key')} before that could be read`);
    process.exitCode = 1;
  }
}

function describe(path: string, report: RdbReport): void {
  console.log(`${path} is sound`);
  console.log(`  format       RDB version ${report.version}, ${count(report.bytes, 'byte')}`);
  for (const [name, value] of report.auxiliary) console.log(`  ${name.padEnd(12)} ${value}`);
  console.log(
    `  keys         ${report.keys}, of them ${report.expiring} with a time to live, ${report.expired} expired`,
  );
  if (report.functions > 0) console.log(`  functions    ${count(report.functions, 'library', 'libraries')}`);
  if (report.bytesBehind > 0) {
    console.log(`  behind it    ${count(report.bytesBehind, 'byte')} that belong to something else`);
  }
  console.log(`  SHA-256      ${report.sha256}`);
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** A bar on the terminal; nothing where errors go elsewhere. */
function showProgress({ position, size, keys }: CheckProgress): void {
  if (!process.stderr.isTTY) return;
  const share = size === 0 ? 1 : position / size;
  const bar = '█'.repeat(Math.round(share * BAR_WIDTH)).padEnd(BAR_WIDTH, '░');
  process.stderr.write(`\r\x1b[K${bar} ${Math.floor(share * 100)}%, ${count(keys, 'key')}`);
}

function clearProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
}

const BAR_WIDTH = 30;
