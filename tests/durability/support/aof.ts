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
  /** Writes what was done so far, as the end of a turn does. */
  flush(): void;
}

/** Opens the folder as a server does at its start, at this time; rejects with what keeps it from starting. */
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

/** The digest of what a server would find in the folder if the process ended now. The folder is left as it is. */
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

/** A folder that goes with the test. */
export function temporaryFolder(test: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'sorrel-aof-'));
  // Of a test that failed, a server may still be writing there.
  test.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

/** The path of the file that is being appended to. */
export function lastIncrement(folder: string): string {
  const names = readdirSync(join(folder, 'appendonlydir')).filter((name) => name.endsWith('.incr.aof'));
  const seq = (name: string): number => Number(/\.(\d+)\.incr/.exec(name)?.[1]);
  const [last] = names.sort((a, b) => seq(b) - seq(a));
  return join(folder, 'appendonlydir', last as string);
}

/** Lets everything happen that waits for the next round of the event loop. */
export function nextRound(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
