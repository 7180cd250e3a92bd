import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { type CheckProgress, checkRdb } from '../rdb-check.js';
import { systemReason } from '../system-error.js';
import { isRdb } from './aof-loading.js';
import { AofScan, FORMAT_ERROR } from './aof-scan.js';
import { parseManifest } from './manifest.js';

export interface CheckOptions {
  /** Cut off the invalid end; only in the last file, since no commands may be missing before another file. */
  readonly fixes: boolean;
  /** Go back to this time (Unix seconds), using the annotations of `aof-timestamp-enabled`. */
  readonly truncateTo: number | undefined;
  /** Gets the lines of redis-check-aof, as they would be printed. */
  say(text: string): void;
  /** Asked before a file is truncated. */
  confirm(question: string): boolean;
  onProgress(progress: CheckProgress): void;
}

/** The contents of one file. */
export interface FileReport {
  readonly name: string;
  readonly bytes: number;
  readonly keys: number;
  readonly commands: number;
  /** The digest of the file as it is now. */
  readonly sha256: string;
}

/** The check ended with an error, which has been printed. */
class Aborted extends Error {}

/** Checks an append-only file, or all files that a manifest names. */
export function checkAof(
  path: string,
  options: CheckOptions,
): { readonly isSound: boolean; readonly files: readonly FileReport[] } {
  const files: FileReport[] = [];
  try {
    if (!existsSync(path)) abort(options, `Cannot open file ${path}: No such file or directory`);
    if (isManifest(path)) checkAll(path, options, files);
    else {
      options.say('Start checking Old-Style AOF\n');
      checkOne(path, { kind: 'AOF', name: path, isLast: true }, options, files);
    }
    return { isSound: true, files };
  } catch (error) {
    if (!(error instanceof Aborted)) throw error;
    return { isSound: false, files };
  }
}

/** By its content: its first line that is no comment begins with `file`. */
function isManifest(path: string): boolean {
  const fd = openSync(path, 'r');
  try {
    const begin = Buffer.alloc(4096);
    const text = begin.latin1Slice(0, readSync(fd, begin, 0, begin.length, 0));
    return /^(?:#.*\n)*file\s/.test(text);
  } finally {
    closeSync(fd);
  }
}

function checkAll(path: string, options: CheckOptions, files: FileReport[]): void {
  options.say('Start checking Multi Part AOF\n');
  const { base, increments } = parseManifest(readFileSync(path, 'latin1'));
  const pathOf = (name: string): string => `${dirname(path)}/${name}`;
  if (base !== undefined) {
    const basePath = pathOf(base.name);
    mustExist(basePath, options);
    options.say(`Start to check BASE AOF (${isRdb(basePath) ? 'RDB' : 'RESP'} format).\n`);
    checkOne(
      basePath,
      { kind: 'BASE AOF', name: base.name, isLast: increments.length === 0 },
      options,
      files,
    );
  }
  if (increments.length > 0) options.say('Start to check INCR files.\n');
  for (const [index, { name }] of increments.entries()) {
    const isLast = index === increments.length - 1;
    checkOne(pathOf(name), { kind: 'INCR AOF', name, isLast }, options, files);
  }
  options.say('All AOF files and manifest are valid\n');
}

interface Place {
  readonly kind: 'AOF' | 'BASE AOF' | 'INCR AOF';
  /** The name to print: the path as given, or the name in the manifest. */
  readonly name: string;
  readonly isLast: boolean;
}

function checkOne(path: string, place: Place, options: CheckOptions, files: FileReport[]): void {
  mustExist(path, options);
  const { say } = options;
  const { name } = place;
  const size = statSync(path).size;
  if (size === 0) {
    say(`${place.kind} ${name} is empty\n`);
    files.push({ name, bytes: 0, keys: 0, commands: 0, sha256: sha256Of(path) });
    return;
  }
  let keys = 0;
  let from = 0;
  if (isRdb(path)) {
    const report = checkRdb(path, name, (line) => say(`${line}\n`), options.onProgress);
    if (!report.isSound) abort(options, 'RDB preamble of AOF file is not sane, aborting.');
    say('RDB preamble is OK, proceeding with AOF tail...\n');
    from = report.end;
    keys = [...report.types.values()].reduce((sum, count) => sum + count, 0);
  }
  const commands = checkCommands(path, name, from, place, options);
  files.push({ name, bytes: statSync(path).size, keys, commands, sha256: sha256Of(path) });
}

/** Returns the number of commands. */
function checkCommands(
  path: string,
  name: string,
  from: number,
  place: Place,
  options: CheckOptions,
): number {
  const { say, truncateTo } = options;
  const scan = new AofScan(path, name, from);
  let cutAt: number | undefined;
  let reportedAt = performance.now();
  try {
    const problem = scan.run(
      ({ seconds, at }) => {
        if (truncateTo === undefined || seconds <= truncateTo) return true;
        cutAt = at;
        return false;
      },
      () => {
        if (scan.commands % 1000 !== 0 || performance.now() - reportedAt < PROGRESS_MS) return;
        reportedAt = performance.now();
        options.onProgress({ name, position: scan.position, size: scan.size });
      },
    );
    if (problem?.text === FORMAT_ERROR) say(`AOF ${name} format error\n`);
    else if (problem?.text !== undefined) say(`0x${problem.at.toString(16).padStart(16)}: ${problem.text}\n`);
    if (truncateTo !== undefined && cutAt !== undefined) {
      truncateToTime(path, name, cutAt, truncateTo, place, options);
      return scan.commands;
    }
    if (truncateTo !== undefined && problem === undefined) {
      say(`Truncate nothing in AOF ${name} to timestamp ${truncateTo}\n`);
    } else {
      const { size, soundUpTo, line } = scan;
      say(
        `AOF analyzed: filename=${name}, size=${size}, ok_up_to=${soundUpTo}, ok_up_to_line=${line}, diff=${size - soundUpTo}\n`,
      );
      if (soundUpTo < size) {
        repair(path, name, soundUpTo, size, place, options);
        return scan.commands;
      }
    }
    say(`${place.kind} ${name} is valid\n`);
    return scan.commands;
  } finally {
    scan.close();
  }
}

function truncateToTime(
  path: string,
  name: string,
  offset: number,
  seconds: number,
  { isLast }: Place,
  options: CheckOptions,
): void {
  // As Redis does, errors name the path, and the success names the file.
  if (offset === 0) abort(options, `AOF ${path} has nothing before timestamp ${seconds}, aborting...`);
  if (!isLast) {
    abort(
      options,
      `Failed to truncate AOF ${path} to timestamp ${seconds} to offset ${offset} because it is not the last file.\n` +
        'If you insist, please delete all files after this file according to the manifest file and delete the corresponding ' +
        'records in manifest file manually. Then re-run sorrel check-aof.',
    );
  }
  truncate(path, offset);
  options.say(`Successfully truncated AOF ${name} to timestamp ${seconds}\n`);
}

function repair(
  path: string,
  name: string,
  soundUpTo: number,
  size: number,
  { isLast }: Place,
  options: CheckOptions,
): void {
  if (!options.fixes) abort(options, `AOF ${name} is not valid. Use the --fix option to try fixing it.`);
  if (!isLast) abort(options, `Failed to truncate AOF ${name} because it is not the last file`);
  options.say(
    `This will shrink the AOF ${name} from ${size} bytes, with ${size - soundUpTo} bytes, to ${soundUpTo} bytes\n`,
  );
  if (!options.confirm('Continue? [y/N]: ')) abort(options, 'Aborting...');
  truncate(path, soundUpTo);
  options.say(`Successfully truncated AOF ${name}\n`);
}

function mustExist(path: string, options: CheckOptions): void {
  try {
    closeSync(openSync(path, 'r'));
  } catch (error) {
    abort(options, `Cannot open file ${path}: ${systemReason(error)}, aborting...`);
  }
}

function abort({ say }: CheckOptions, text: string): never {
  say(`${text}\n`);
  throw new Aborted(text);
}

function truncate(path: string, length: number): void {
  const fd = openSync(path, 'r+');
  try {
    ftruncateSync(fd, length);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function sha256Of(path: string): string {
  const hash = createHash('sha256');
  const fd = openSync(path, 'r');
  const chunk = Buffer.allocUnsafeSlow(1 << 20);
  try {
    for (;;) {
      const count = readSync(fd, chunk, 0, chunk.length, null);
      if (count === 0) return hash.digest('hex');
      hash.update(chunk.subarray(0, count));
    }
  } finally {
    closeSync(fd);
  }
}

const PROGRESS_MS = 100;
