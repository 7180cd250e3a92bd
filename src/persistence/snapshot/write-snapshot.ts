import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Keyspace } from '../../keyspace/keyspace.js';
import { removeIfThere } from '../temporary-files.js';
import { ChunkSink } from './chunk-sink.js';
import type { SnapshotFormat } from './snapshot-format.js';

/** Writes the whole keyspace at once, while all clients wait. */
export function writeKeyspace(
  keyspace: Keyspace,
  format: SnapshotFormat,
  hasChecksum: boolean,
  onChunk: (chunk: Buffer) => void,
): void {
  const sink = new ChunkSink(hasChecksum, onChunk);
  const databases = keyspace.databases.filter(({ size }) => size > 0);
  format.begin(
    sink,
    databases.map(({ index, size, expiries }) => ({ index, entries: size, expiring: expiries.size })),
  );
  const writer = format.writer(sink);
  for (const db of databases) {
    db.keys.forEach((entry) => {
      writer.entry(db, entry);
    });
  }
  format.end(sink, () => sink.checksum());
  sink.flush();
}

/** Like `writeKeyspace`, into a temporary file that replaces `path` when it is complete. Throws the system's error. */
export function writeKeyspaceFile(
  keyspace: Keyspace,
  format: SnapshotFormat,
  hasChecksum: boolean,
  { temporaryPath, path }: { readonly temporaryPath: string; readonly path: string },
): void {
  try {
    const fd = openSync(temporaryPath, 'w', 0o644);
    try {
      writeKeyspace(keyspace, format, hasChecksum, (chunk) => writeAll(fd, chunk));
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporaryPath, path);
    syncDirectoryNow(dirname(path));
  } catch (error) {
    removeIfThere(temporaryPath);
    throw error;
  }
}

function writeAll(fd: number, chunk: Buffer): void {
  for (let at = 0; at < chunk.length; ) at += writeSync(fd, chunk, at);
}

function syncDirectoryNow(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
