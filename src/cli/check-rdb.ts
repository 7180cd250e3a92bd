import { type CheckProgress, checkRdb, type RdbReport } from '../persistence/rdb-check.js';
import { DamagedFile } from '../rdb/rdb-loader.js';
import { counted, ProgressBar } from './progress-bar.js';

/** `sorrel check-rdb FILE` */
export function runCheckRdb(parameters: readonly string[]): void {
  const [path] = parameters;
  if (path === undefined || parameters.length !== 1) throw new Error('which file? sorrel check-rdb FILE');
  let last: CheckProgress | undefined;
  const bar = new ProgressBar();
  try {
    const report = checkRdb(path, (progress) => {
      last = progress;
      const { position, size, keys } = progress;
      bar.show(size === 0 ? 1 : position / size, counted(keys, 'key'));
    });
    bar.clear();
    describe(path, report);
  } catch (error) {
    bar.clear();
    if (!(error instanceof DamagedFile)) throw error;
    console.error(`${path} is damaged at byte ${error.position}: ${error.reason}`);
    console.error(`${counted(last?.keys ?? 0, 'key')} before that could be read`);
    process.exitCode = 1;
  }
}

function describe(path: string, report: RdbReport): void {
  console.log(`${path} is sound`);
  console.log(`  format       RDB version ${report.version}, ${counted(report.bytes, 'byte')}`);
  for (const [name, value] of report.auxiliary) console.log(`  ${name.padEnd(12)} ${value}`);
  console.log(
    `  keys         ${report.keys}, of them ${report.expiring} with a time to live, ${report.expired} expired`,
  );
  if (report.functions > 0)
    console.log(`  functions    ${counted(report.functions, 'library', 'libraries')}`);
  if (report.bytesBehind > 0) {
    console.log(`  behind it    ${counted(report.bytesBehind, 'byte')} that belong to something else`);
  }
  console.log(`  SHA-256      ${report.sha256}`);
}
