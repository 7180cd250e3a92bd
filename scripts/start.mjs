/** `npm start`: installs, builds and starts the server. Options after `--` are passed to it. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { buildIfNeeded, installIfNeeded, projectRoot } from './steps.mjs';

installIfNeeded();
buildIfNeeded();

const launcher = join(projectRoot, 'bin/sorrel');
const [program, ...first] = process.platform === 'win32' ? [process.execPath, launcher] : [launcher];
console.log(
  "While it runs, 'npx sorrel console' (or 'bin/sorrel console') serves a console for it in the browser.\n",
);
const server = spawn(program, [...first, 'server', ...process.argv.slice(2)], { stdio: 'inherit' });
server.on('exit', (code) => process.exit(code ?? 1));

// A terminal sends Ctrl-C to the server too. Others reach only this process, or mean nothing to the server, which here ends with its terminal.
process.on('SIGINT', () => {});
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => server.kill('SIGTERM'));
// A signal to npm ends only the shell between npm and this process. This process notices it by a new parent process.
const npm = process.ppid;
setInterval(() => process.ppid !== npm && server.kill('SIGTERM'), 250).unref();
