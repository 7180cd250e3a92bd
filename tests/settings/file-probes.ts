import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AofEngine, openAof } from '../durability/support/aof.js';
import type { Probe, Values } from './observing.js';

type Work<T> = (folder: string) => Promise<T>;

/** Runs a function in a folder that is removed afterwards. */
async function inFolder<T>(work: Work<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'sorrel-settings-files-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Opens an engine in a folder, without an append-only file unless the values say so, and returns the result of `work`. */
function opened<T>(
  values: Values,
  work: (opened: AofEngine, folder: string) => T | Promise<T>,
  prepare: (folder: string) => void = () => {},
): Promise<T | string> {
  return inFolder(async (folder) => {
    prepare(folder);
    let engine: AofEngine;
    try {
      engine = await openAof(folder, { appendonly: 'no', ...values });
    } catch (error) {
      return `not opened: ${(error as Error).name}`;
    }
    await using open = engine;
    return await work(open, folder);
  });
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.endsWith('.lock'))
    .sort();
}

/** The files after a write and a save. */
function filesAfterSave(values: Values): Promise<unknown> {
  return opened(values, ({ engine, flush }, folder) => {
    engine.run('SET', 'key', 'value');
    flush();
    engine.run('SAVE');
    return filesIn(folder);
  });
}

/** The bytes of a snapshot of a compressible value. */
function snapshotOf(values: Values): Promise<unknown> {
  return opened(values, ({ engine }, folder) => {
    engine.run('SET', 'key', 'x'.repeat(1000));
    engine.run('SAVE');
    const bytes = readFileSync(join(folder, 'dump.rdb'));
    return { isShort: bytes.length < 500, hasChecksum: bytes.subarray(-8).some((byte) => byte !== 0) };
  });
}

/** The number of syncs of a file before its end, during many writes. */
async function countSyncs(work: () => Promise<unknown>): Promise<number> {
  const file = await open(process.execPath, 'r');
  const prototype = Object.getPrototypeOf(file) as { datasync: () => Promise<void> };
  await file.close();
  const { datasync } = prototype;
  let count = 0;
  prototype.datasync = async () => void count++;
  try {
    await work();
  } finally {
    prototype.datasync = datasync;
  }
  return count;
}

function syncsWhileWriting(values: Values, command: 'BGSAVE' | 'BGREWRITEAOF'): Promise<number> {
  return countSyncs(() =>
    opened({ rdbcompression: 'no', ...values }, async ({ engine, persistence }) => {
      for (let i = 0; i < 20; i++) engine.run('SET', `key:${i}`, Buffer.alloc(1 << 20, i));
      engine.run(command);
      const isActive = (): boolean => persistence.rdb.job !== undefined || persistence.aof.rewriting.isActive;
      while (isActive()) await new Promise((resolve) => setImmediate(resolve));
    }),
  );
}

/** Whether a rewrite begins by itself after the file has grown. */
function beginsRewrite(values: Values): Promise<unknown> {
  return opened({ appendonly: 'yes', ...values }, ({ engine, persistence, flush }) => {
    for (let i = 0; i < 500; i++) engine.run('SET', 'key', 'x'.repeat(100));
    flush();
    engine.engine.background.tick();
    return persistence.aof.rewriting.isActive;
  });
}

/** The remaining files after a rewrite. */
function filesAfterRewrite(values: Values): Promise<unknown> {
  return opened({ appendonly: 'yes', ...values }, async ({ engine, persistence, flush }, folder) => {
    engine.run('SET', 'key', 'value');
    flush();
    engine.run('BGREWRITEAOF');
    while (persistence.aof.rewriting.isActive) await new Promise((resolve) => setImmediate(resolve));
    await persistence.close();
    // Replaced files are removed in the background, unless they are kept.
    const isRemoved = (): boolean => !filesIn(folder).some((name) => name.includes('.aof.1.'));
    const giveUpAt = Date.now() + (values['aof-disable-auto-gc'] === 'yes' ? 0 : 30_000);
    while (!isRemoved() && Date.now() < giveUpAt) await new Promise((resolve) => setTimeout(resolve, 5));
    return filesIn(folder);
  });
}

/** Opens a folder whose append-only file has these commands. */
function loading(values: Values, commands: string): Promise<unknown> {
  const write = (folder: string): void => {
    mkdirSync(join(folder, 'appendonlydir'));
    writeFileSync(join(folder, 'appendonlydir/appendonly.aof.1.incr.aof'), commands);
    writeFileSync(
      join(folder, 'appendonlydir/appendonly.aof.manifest'),
      'file appendonly.aof.1.incr.aof seq 1 type i\n',
    );
  };
  return opened({ appendonly: 'yes', ...values }, ({ engine }) => engine.run('GET', 'key'), write);
}

/** Opens a folder whose snapshot has a hash with the same field twice, which only a full check finds. */
async function loadingTwoFields(values: Values): Promise<unknown> {
  const sound = await opened({ rdbcompression: 'no', rdbchecksum: 'no' }, ({ engine }, folder) => {
    engine.run('HSET', 'hash', 'field-a', 1, 'field-b', 2);
    engine.run('SAVE');
    return readFileSync(join(folder, 'dump.rdb'), 'latin1');
  });
  const damaged = sound.replace('field-b', 'field-a');
  return opened(
    { rdbchecksum: 'no', ...values },
    ({ engine }) => engine.run('HLEN', 'hash'),
    (folder) => writeFileSync(join(folder, 'dump.rdb'), damaged, 'latin1'),
  );
}

const FAILING =
  '*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\n*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$1\r\nx\r\n*2\r\n$4\r\nINCR\r\n$3\r\nkey\r\n';

/** Settings whose effect is visible in files. */
export const fileProbes: Readonly<Record<string, Probe>> = {
  dir: {
    value: 'elsewhere',
    observe: (values) =>
      opened({}, ({ engine }, folder) => {
        mkdirSync(join(folder, 'elsewhere'));
        if (values.dir !== undefined) engine.engine.settings.configure('dir', join(folder, values.dir));
        engine.run('SAVE');
        return filesIn(folder);
      }),
  },
  dbfilename: { value: 'other.rdb', observe: filesAfterSave },
  appendonly: { value: 'yes', observe: filesAfterSave },
  appendfilename: {
    value: 'other.aof',
    observe: (values) => filesAfterSave({ appendonly: 'yes', ...values }),
  },
  appenddirname: { value: 'other', observe: (values) => filesAfterSave({ appendonly: 'yes', ...values }) },
  save: {
    value: '1 1',
    observe: (values) =>
      opened({ save: '', ...values }, ({ engine, persistence }) => {
        engine.run('SET', 'key', 'value');
        engine.clock.advance(5000);
        engine.engine.background.tick();
        return persistence.rdb.job !== undefined;
      }),
  },
  rdbcompression: { value: 'no', observe: snapshotOf },
  rdbchecksum: { value: 'no', observe: snapshotOf },
  'rdb-save-incremental-fsync': {
    value: 'no',
    observe: async (values) => (await syncsWhileWriting(values, 'BGSAVE')) > 0,
  },
  'aof-rewrite-incremental-fsync': {
    value: 'no',
    observe: async (values) => (await syncsWhileWriting(values, 'BGREWRITEAOF')) > 0,
  },
  'sanitize-dump-payload': { value: 'yes', observe: loadingTwoFields },
  'propagation-error-behavior': { value: 'panic', observe: (values) => loading(values, FAILING) },
  'auto-aof-rewrite-percentage': {
    value: '0',
    observe: (values) => beginsRewrite({ 'auto-aof-rewrite-min-size': '10000', ...values }),
  },
  'auto-aof-rewrite-min-size': { value: '10000', observe: beginsRewrite },
  'aof-use-rdb-preamble': { value: 'no', observe: filesAfterRewrite },
  'aof-disable-auto-gc': { value: 'yes', observe: filesAfterRewrite },
  'no-appendfsync-on-rewrite': {
    value: 'yes',
    // The effect of this field is tested in src/persistence/aof/aof-output.test.ts.
    observe: (values) => opened(values, ({ persistence }) => persistence.aof.output.yieldsToJobs),
  },
};
