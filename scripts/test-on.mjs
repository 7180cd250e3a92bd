/**
 * `npm run test-on -- VERSION [TEXT… --jobs=N]`: `npm test` on another version of Node, such as 24 or 26.1, with its parameters. That Node
 * comes from npm's registry and stays in the folder for temporary files.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { headComment, run } from './steps.mjs';

const [version, ...parameters] = process.argv.slice(2);
if (version === undefined || !/^\d+(\.\d+){0,2}$/.test(version)) {
  const isHelp = version === '--help';
  if (!isHelp && version !== undefined) console.error(`${version} is no version of Node.`);
  console.log(headComment(fileURLToPath(import.meta.url)));
  process.exit(isHelp ? 0 : 1);
}

const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
const folder = join(tmpdir(), `sorrel-${name}-${version}`);
const programs = join(folder, 'node_modules', name, 'bin');
if (!existsSync(programs)) {
  mkdirSync(folder, { recursive: true });
  const status = run('npm', ['install', '--prefix', folder, '--no-save', '--no-audit', `${name}@${version}`]);
  if (status !== 0) process.exit(status);
}
const environment = { PATH: `${programs}${delimiter}${process.env['PATH']}` };
console.log(`Node ${version}, in ${programs}`);
process.exit(run(join(programs, 'node'), ['scripts/test.mjs', ...parameters], environment));
