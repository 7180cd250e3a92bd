import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { Persistence } from '../../../src/persistence/persistence.js';
import { TestEngine } from './engine.js';

export type SettingTexts = Readonly<Record<string, string>>;

/** An engine with an append-only file, in this process. */
export interface AofEngine extends AsyncDisposable {
  readonly engine: TestEngine;
  readonly persistence: Persistence;
  readonly log: string[];
  /** Writes all commands so far, as at the end of a turn. */
  flush(): void;
}

/** Opens the folder like a starting server, at time `now`; rejects with the error that prevents the start. */
export async function openAof(folder: string, settings: SettingTexts = {}, now?: number): Promise<AofEngine> {
  const engine = new TestEngine();
  const log: string[] = [];
  engine.engine.attach({ host: { log: (_level, message) => void log.push(message) } });
  if (now !== undefined) engine.clock.advance(now - engine.clock.now());
  const all = { appendonly: 'yes', save: '', appendfsync: 'no', dir: folder, ...settings };
  for (const [name, text] of Object.entries(all)) engine.engine.settings.configure(name, text);
  const persistence = new Persistence(engine.engine);
  await persistence.load();
  return {
    engine,
    persistence,
    log,
    flush: () => persistence.aof.flushTurn(),
    [Symbol.asyncDispose]: async () => {
      await persistence.close();
      engine.engine.close();
    },
  };
}

/** The digest of the data that a server would load if the process ended now. The folder is not changed. */
export async function digestAfterCrash(folder: string, settings: SettingTexts, now: number): Promise<string> {
  const copy = mkdtempSync(join(tmpdir(), 'sorrel-aof-copy-'));
  try {
    cpSync(folder, copy, { recursive: true });
    await using opened = await openAof(copy, settings, now);
    return opened.engine.digest;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** A folder that is removed after the test. */
export function temporaryFolder(test: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'sorrel-aof-'));
  // If the test failed, a server may still be writing there.
  test.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

/** The path of the current file. */
export function lastIncrement(folder: string): string {
  const names = readdirSync(join(folder, 'appendonlydir')).filter((name) => name.endsWith('.incr.aof'));
  const seq = (name: string): number => Number(/\.(\d+)\.incr/.exec(name)?.[1]);
  const [last] = names.sort((a, b) => seq(b) - seq(a));
  return join(folder, 'appendonlydir', last as string);
}

/** Waits for the next iteration of the event loop. */
export function nextRound(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
