import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Server, startRedis, whenRedisIsInstalled } from '../support/fleet/index.js';
import { freePort } from '../support/fleet/server-process.js';
import { type Bundler, bundlers } from './support/bundlers.js';
import { checkTable, tableOf } from './support/document-table.js';
import { installedProject, type Project } from './support/packed-package.js';

const SUPPORT = fileURLToPath(new URL('support', import.meta.url));

/** The result of each feature: true, or the error. */
type Outcomes = Readonly<Record<string, string | true>>;

/** Without the banner, esbuild's ES modules cannot load ioredis, which these use. */
const NEEDS_BANNER = new Set([
  'sorrel: a server (redis://)',
  'sorrel: a thread (openWorker)',
  'sorrel: store.listen',
]);

describe('a program bundled with all it imports', whenRedisIsInstalled, () => {
  const seen = new Map<string, Outcomes>();
  let project: Project;
  let redis: Server;

  before(async () => {
    project = installedProject();
    for (const name of ['features.mjs', 'bundled-program.mjs'])
      cpSync(join(SUPPORT, name), join(project.folder, name));
    redis = await startRedis();
  });
  after(async () => {
    project.remove();
    await redis.stop();
  });

  /** Bundles the program, moves the result to an empty folder, and runs it there. */
  async function outcomesOf(bundle: Bundler): Promise<Outcomes> {
    const built = join(project.folder, 'bundled');
    mkdirSync(built);
    const file = await bundle(join(project.folder, 'bundled-program.mjs'), built);
    const empty = mkdtempSync(join(tmpdir(), 'sorrel-bundled-'));
    try {
      renameSync(built, join(empty, 'program'));
      const place = {
        redis: `redis://127.0.0.1:${redis.port}`,
        folder: join(empty, 'data'),
        port: await freePort(),
      };
      const parameters = [join(empty, 'program', file), JSON.stringify(place)];
      const { stdout } = await promisify(execFile)(process.execPath, parameters, {
        cwd: empty,
        timeout: 120_000,
      });
      return JSON.parse(stdout) as Outcomes;
    } finally {
      rmSync(empty, { recursive: true, force: true });
    }
  }

  for (const [name, bundle] of Object.entries(bundlers)) {
    it(`runs all features with ${name}`, { timeout: 300_000 }, async () => {
      const outcomes = await outcomesOf(bundle);
      seen.set(name, outcomes);
      for (const [feature, outcome] of Object.entries(outcomes)) {
        if (name === 'esbuild, ES modules' && NEEDS_BANNER.has(feature)) {
          assert.match(String(outcome), /Dynamic require of .* is not supported/);
        } else assert.equal(outcome, true, `${feature} ${outcome}`);
      }
    });
  }

  it('has the results that the documentation states', () => {
    const names = Object.keys(bundlers);
    const features = Object.keys(seen.get('webpack') ?? {});
    assert.ok(features.length > 10);
    const cell = (bundler: string, feature: string): string | true =>
      seen.get(bundler)?.[feature] === true || 'no';
    const rows = features.map(
      (feature) => [feature, names.map((bundler) => cell(bundler, feature))] as const,
    );
    checkTable('bundlers', tableOf('feature', names, new Map(rows)));
  });
});
