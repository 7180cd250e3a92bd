import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EmbeddedEngine } from '../embedded/embedded-engine.js';
import { listen } from '../embedded/listen.js';

/**
 * The path of a socket that serves the engine, for clients that need an address, such as node-redis. Only this user may
 * enter its folder. It is removed when the engine is closed.
 */
export function unixSocketOf(embedded: EmbeddedEngine): Promise<string> {
  let path = paths.get(embedded);
  if (path === undefined) {
    path = openSocket(embedded);
    paths.set(embedded, path);
  }
  return path;
}

async function openSocket(embedded: EmbeddedEngine): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sorrel-'));
  embedded.onClose(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'socket');
  await listen(embedded, { path });
  return path;
}

const paths = new WeakMap<EmbeddedEngine, Promise<string>>();
