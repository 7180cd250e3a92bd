import { unlinkSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** `pidfile`: a file with the number of this process as long as it runs. One that cannot be written is only logged. */
export class PidFile {
  constructor(path: string, log: (message: string) => void) {
    if (path === '') return;
    // The current folder may change with `dir`.
    const file = resolve(path);
    try {
      writeFileSync(file, `${process.pid}\n`);
    } catch (error) {
      log(`Failed to write PID file: ${(error as Error).message}`);
      return;
    }
    process.on('exit', () => remove(file));
  }
}

function remove(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // Another process may have removed it.
  }
}
