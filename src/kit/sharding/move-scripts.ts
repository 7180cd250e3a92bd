import { readLua } from '../foundation/index.js';

export const RUN_HERE = {
  keys: ['key', 'gate', 'moved'],
  args: ['...words'],
  lua: readLua(import.meta.url, 'run-here.lua'),
  reply: (reply: unknown) => reply as readonly [0, unknown] | readonly [1, string],
} as const;

export const RUN_THERE = {
  keys: ['key', 'copy'],
  args: ['...words'],
  lua: readLua(import.meta.url, 'run-there.lua'),
} as const;

export const OFFER = {
  keys: ['key'],
  readOnly: true,
  lua: readLua(import.meta.url, 'offer.lua'),
  reply: (reply: unknown) =>
    reply as readonly [] | readonly [content: Buffer, expiresAt: number, digest: Buffer],
} as const;

export const HAND_OVER = {
  keys: ['key', 'moved'],
  args: ['digest', 'expiresAt', 'copy'],
  lua: readLua(import.meta.url, 'hand-over.lua'),
  reply: (reply: unknown) => reply === 1,
} as const;

/** The keys that a move leaves on shards while it runs. They are in no slot. */
export class MoveKeys {
  readonly #base: string;

  constructor(prefix: string, name: string) {
    this.#base = `${prefix}:{${name}}:`;
  }

  gate(id: string): string {
    return `${this.#base}gate:${id}`;
  }

  moved(id: string): string {
    return `${this.#base}moved:${id}`;
  }

  copy(token: string): string {
    return `${this.#base}copy:${token}`;
  }

  owns(key: string | Buffer): boolean {
    return key.toString().startsWith(this.#base);
  }
}
