/** `npm start`: from a fresh clone to a running server. Options after `--` are the server's. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { buildIfNeeded, installIfNeeded, projectRoot } from './steps.mjs';

installIfNeeded();
buildIfNeeded();

const launcher = join(projectRoot, 'bin/sorrel');
const [program, ...first] = process.platform === 'win32' ? [process.execPath, launcher] : [launcher];
const server = spawn(program, [...first, 'server', ...process.argv.slice(2)], { stdio: 'inherit' });
server.on('exit', (code) => process.exit(code ?? 1));

// A terminal sends Ctrl-C to the server too; other signals reach only this process, so they are passed on.
process.on('SIGINT', () => {});
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => server.kill(signal));
// A signal to npm ends the shell between npm and this process and stops there: being orphaned is how it shows.
const npm = process.ppid;
setInterval(() => process.ppid !== npm && server.kill('SIGTERM'), 250).unref();
