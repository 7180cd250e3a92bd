/** `npm start`: from a fresh clone to a running server. Options after `--` are the server's. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { buildIfNeeded, installIfNeeded, projectRoot } from './steps.mjs';

installIfNeeded();
buildIfNeeded();

const server = spawn(join(projectRoot, 'bin/sorrel'), ['server', ...process.argv.slice(2)], {
  stdio: 'inherit',
});
// A terminal sends its signals to the whole group; others reach only this process, so they are passed on.
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => server.kill(signal));
process.on('SIGINT', () => {});
server.on('exit', (code) => process.exit(code ?? 1));
