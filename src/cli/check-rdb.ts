import { checkRdb } from '../persistence/rdb-check.js';
import { counted, ProgressBar } from './progress-bar.js';
import { Usage } from './usage.js';

/** `sorrel check-rdb FILE` */
export function runCheckRdb(parameters: readonly string[]): void {
  const [path] = parameters;
  if (path === undefined || parameters.length !== 1)
    throw new Usage('Usage: sorrel check-rdb <rdb-file-name>');
  const bar = new ProgressBar();
  const lines: string[] = [];
  try {
    const report = checkRdb(
      path,
      path,
      (line) => lines.push(line),
      ({ position, size }) => bar.show(size === 0 ? 1 : position / size, path),
    );
    const { types, functions, end, bytes, sha256 } = report;
    lines.push(`[info] by type: ${shownTypes(types)}`);
    if (functions > 0) lines.push(`[info] ${counted(functions, 'function library', 'function libraries')}`);
    if (report.isSound && end < bytes)
      lines.push(`[info] ${counted(bytes - end, 'byte')} behind the end belong to something else`);
    lines.push(`[info] SHA-256 ${sha256}`);
    if (!report.isSound) process.exitCode = 1;
  } finally {
    bar.clear();
    for (const line of lines) console.log(line);
  }
}

/** `46 string, 1 list` */
export function shownTypes(types: ReadonlyMap<string, number>): string {
  return [...types].map(([name, count]) => `${count} ${name}`).join(', ') || 'no keys';
}
