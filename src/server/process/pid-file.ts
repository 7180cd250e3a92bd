import { unlinkSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** `pidfile`: a file with the id of this process, which exists while the process runs. Failures are only logged. */
export class PidFile {
  constructor(path: string, log: (message: string) => void) {
    if (path === '') return;
    // The current directory may change with `dir`.
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
