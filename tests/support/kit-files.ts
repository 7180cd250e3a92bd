import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { Files } from '../../src/kit/files/index.js';
import type { EmbeddedStore } from '../../src/store/index.js';

export const folder = mkdtempSync(join(tmpdir(), 'sorrel-files-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Bytes that vary and are not text. */
export function bytesOf(length: number, seed = 1): Buffer {
  return Buffer.from(Array.from({ length }, (_, i) => ((i * 131 + seed * 17) ^ (i >> 8)) & 255));
}

let paths = 0;
export function fileOf(bytes: Buffer): string {
  const path = join(folder, `f${paths++}`);
  writeFileSync(path, bytes);
  return path;
}

/** Returns a function that restores the current state of a transfer, as a failover may do. */
export function keepStateOf(store: EmbeddedStore, name: string): () => void {
  const keys = ['meta', 'blocks', 'readers', 'digests'].map((part) => `file:{${name}}:${part}`);
  const kept = keys.map((key) => [key, store.sync.bytes.send('DUMP', key) as Buffer | null] as const);
  return () => {
    for (const [key, value] of kept) {
      if (value === null) store.sync.send('DEL', key);
      else store.sync.send('RESTORE', key, 0, value, 'REPLACE');
    }
  };
}

export async function receiveAll(from: Files, name: string, reader: string): Promise<Buffer> {
  const blocks: Buffer[] = [];
  for await (const block of from.receive(name, reader)) blocks.push(block);
  return Buffer.concat(blocks);
}

export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise(setImmediate);
}

export const ten = { readers: ['ann'], blockSize: 10 };
