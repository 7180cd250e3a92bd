import { createHash } from 'node:crypto';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { KitError } from '../foundation/index.js';

/** How far a file has been read, as it is stored. */
export interface Mark {
  /** Bytes read. */
  readonly offset: number;
  /** The digest of the first `headLength` bytes: tells whether it is still the same file. */
  readonly head: string;
  readonly headLength: number;
  /** The file's name when it was read last. */
  readonly file: string;
}

/** The beginning of a file that is compared. */
export const HEAD_BYTES = 1_024;

/** A file of the folder, open for reading. */
export interface LogFile {
  readonly name: string;
  readonly handle: FileHandle;
  /** Stays the same when the file is renamed: device and number of the file. */
  readonly identity: string;
  readonly size: number;
  readonly modifiedAt: number;
}

/** Opens the files of a folder, the one that was changed last at the end. */
export async function openLogFiles(folder: string, match: RegExp): Promise<LogFile[]> {
  const names = (await namesIn(folder)).filter((name) => {
    match.lastIndex = 0;
    return match.test(name);
  });
  const files = await Promise.all(names.map((name) => openLogFile(folder, name)));
  return files
    .filter((file) => file !== undefined)
    .sort((a, b) => a.modifiedAt - b.modifiedAt || (a.name < b.name ? -1 : 1));
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    const { message } = error as Error;
    throw new KitError('FOLDER', `logProcessor: the folder of log files cannot be read: ${message}`, {
      cause: error,
    });
  }
}

/** Undefined if it has been removed meanwhile, or is no file. */
async function openLogFile(folder: string, name: string): Promise<LogFile | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(join(folder, name), 'r');
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return undefined;
    throw error;
  }
  const { dev, ino, size, mtimeMs, isFile } = await statOf(handle);
  if (!isFile) {
    await handle.close();
    return undefined;
  }
  return { name, handle, identity: `${dev}:${ino}`, size, modifiedAt: mtimeMs };
}

async function statOf(handle: FileHandle) {
  const stat = await handle.stat();
  return { dev: stat.dev, ino: stat.ino, size: stat.size, mtimeMs: stat.mtimeMs, isFile: stat.isFile() };
}

export async function closeAll(files: readonly LogFile[]): Promise<void> {
  await Promise.all(files.map(({ handle }) => handle.close()));
}

/** The digest of the first bytes of a file. */
export async function headOf({ handle }: LogFile, length: number): Promise<string> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, 0);
  return createHash('sha1').update(buffer.subarray(0, bytesRead)).digest('base64url');
}

/** Whether the mark belongs to the content of the file: a file that was truncated, or has the number of a deleted one, has other content. */
export async function fits(file: LogFile, mark: Mark): Promise<boolean> {
  return file.size >= mark.offset && (await headOf(file, mark.headLength)) === mark.head;
}

/** A file, and where to go on in it. */
export interface Reading {
  readonly file: LogFile;
  /** As it is stored under the file's identity; undefined if nothing is, or it is another file's. */
  readonly mark: Mark | undefined;
  /** Whether the mark was stored under another identity: the file is a copy. */
  readonly isCopy: boolean;
}

/**
 * Finds where to go on in each file. A file that was renamed keeps its identity. If one was copied and then truncated, its mark
 * belongs to the copy: copies come first, so that their marks are stored before those of the truncated files replace them.
 */
export async function readingsOf(
  files: readonly LogFile[],
  marks: ReadonlyMap<string, Mark>,
): Promise<Reading[]> {
  const readings: Reading[] = [];
  const unknown: LogFile[] = [];
  const truncated: Mark[] = [];
  for (const file of files) {
    const mark = marks.get(file.identity);
    if (mark === undefined) unknown.push(file);
    else if (await fits(file, mark)) readings.push({ file, mark, isCopy: false });
    else {
      readings.push({ file, mark: undefined, isCopy: false });
      if (mark.headLength === HEAD_BYTES) truncated.push(mark);
    }
  }
  for (const file of unknown) {
    const original = await originalOf(file, truncated);
    readings.push({ file, mark: original, isCopy: original !== undefined });
  }
  const order = new Map(files.map((file, index) => [file, index]));
  return readings.sort(
    (a, b) =>
      Number(b.isCopy) - Number(a.isCopy) || (order.get(a.file) as number) - (order.get(b.file) as number),
  );
}

async function originalOf(copy: LogFile, truncated: readonly Mark[]): Promise<Mark | undefined> {
  for (const mark of truncated) if (await fits(copy, mark)) return mark;
  return undefined;
}
