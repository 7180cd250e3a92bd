import { statSync, unlinkSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { systemReason } from '../../persistence/system-error.js';

/** `pidfile`: a file with the id of this process, which exists while the process runs. Failures are only logged. */
export class PidFile {
  constructor(path: string, log: (message: string) => void) {
    if (path === '') return;
    // The current directory may change with `dir`.
    const file = resolve(path);
    try {
      writeFileSync(file, `${process.pid}\n`);
    } catch (error) {
      log(`Failed to write PID file: ${systemReason(error)}`);
      return;
    }
    process.on('exit', () => remove(file));
  }
}

/** A device stays: redis-server, run by the superuser with `pidfile /dev/null`, would remove it from the machine. */
function remove(file: string): void {
  try {
    if (statSync(file).isFile()) unlinkSync(file);
  } catch {
    // Another process may have removed it.
  }
}
