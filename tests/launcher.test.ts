import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** A copy of the launcher. In place of the build, a program reports how it was started. */
const root = mkdtempSync(join(tmpdir(), 'sorrel-launcher-'));
const launcher = join(root, 'bin/sorrel');
const PROBE = `
import { getHeapStatistics } from 'node:v8';
const heapMegabytes = getHeapStatistics().heap_size_limit / 1048576;
let depth = 0;
const goDeeper = () => { depth++; goDeeper(); };
try { goDeeper(); } catch {}
console.log(JSON.stringify({ pid: process.pid, parameters: process.argv.slice(2), heapMegabytes, depth }));
`;

before(() => {
  cpSync(fileURLToPath(new URL('../bin', import.meta.url)), join(root, 'bin'), { recursive: true });
  writeFileSync(join(root, 'package.json'), '{"type":"module"}');
});
after(() => rmSync(root, { recursive: true }));

interface Probe {
  pid: number;
  parameters: string[];
  heapMegabytes: number;
  /** The number of calls that fit on the stack. */
  depth: number;
}

function build(): void {
  mkdirSync(join(root, 'dist/cli'), { recursive: true });
  writeFileSync(join(root, 'dist/cli/main.js'), PROBE);
}

function launch(program: string, parameters: string[], environment: NodeJS.ProcessEnv = {}) {
  const { NODE_OPTIONS: _, ...inherited } = process.env;
  const child = spawnSync(program, parameters, { encoding: 'utf8', env: { ...inherited, ...environment } });
  return {
    ...child,
    probe: () => JSON.parse(child.stdout) as Probe,
  };
}

test('without a build, the launcher says how to build one', () => {
  const { status, stderr } = launch(launcher, ['--version']);
  assert.match(stderr, /run "npm run build"/);
  assert.equal(status, 1);
});

test('the launcher becomes Node in the same process and passes on the parameters unchanged', () => {
  build();
  const parameters = ['server', '--save', '', 'a b', '*', "'"];
  const { pid, probe } = launch(launcher, parameters);
  assert.equal(probe().pid, pid);
  assert.deepEqual(probe().parameters, parameters);
});

test('the launcher also works through a symbolic link and as a script of Node', () => {
  build();
  const link = join(root, 'link');
  symlinkSync(launcher, link);
  assert.deepEqual(launch(link, ['x']).probe().parameters, ['x']);
  assert.deepEqual(launch(process.execPath, [launcher, 'x']).probe().parameters, ['x']);
  assert.deepEqual(launch(process.execPath, [link, 'x']).probe().parameters, ['x']);
});

test('the heap limit depends on the memory of the machine, unless NODE_OPTIONS sets one', () => {
  build();
  const own = launch(launcher, [], { NODE_OPTIONS: '--max-old-space-size=300' }).probe().heapMegabytes;
  assert.ok(own >= 300 && own < 500, `${own} MB`);
  const ours = launch(launcher, []).probe().heapMegabytes;
  const nodes = launch(process.execPath, [launcher]).probe().heapMegabytes;
  assert.notEqual(ours, nodes);
});

test("calls can nest more deeply if the system's stack has the usual size", () => {
  build();
  const nodes = launch(process.execPath, [launcher]).probe().depth;
  const usual = launch('/bin/sh', ['-c', `ulimit -s 8192; exec '${launcher}'`]).probe().depth;
  assert.ok(usual > 3 * nodes, `${usual} calls, and ${nodes} without the launcher`);
  const small = launch('/bin/sh', ['-c', `ulimit -s 4096; exec '${launcher}'`]).probe().depth;
  assert.ok(small < 2 * nodes, `${small} calls with half the stack`);
});
