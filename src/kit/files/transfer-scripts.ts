import { readLua } from '../foundation/index.js';

export const TRANSFER_PARTS = ['meta', 'readers', 'digests', 'blocks', 'room'] as const;
const KEYS = TRANSFER_PARTS;

export type TransferKeys = Readonly<Record<(typeof TRANSFER_PARTS)[number], string>>;

const transferLua = (file: string): string => readLua(import.meta.url, 'transfer-state.lua', file);

/** The state of a transfer, as its sender sees it. */
export interface TransferState {
  readonly blockSize: number;
  /** Blocks sent, including the end. */
  readonly count: number;
  /** Digest of the chain up to the last of them. */
  readonly digest: string;
  readonly isDone: boolean;
  /** Bytes that may be added now. */
  readonly room: number;
}

type StateReply = readonly [blockSize: number, count: number, digest: string, done: number, room: number];

function toState([blockSize, count, digest, done, room]: StateReply): TransferState {
  return { blockSize, count, digest, isDone: done === 1, room };
}

/** The reply of a script, or an error number. */
const unlessProblem =
  <Reply, Result>(convert: (reply: Reply) => Result) =>
  (reply: unknown): Result | number =>
    typeof reply === 'number' ? reply : convert(reply as Reply);

export const BEGIN = {
  keys: KEYS,
  args: ['size', 'limit', 'expiry', 'remember', 'start', '...names'],
  lua: transferLua('begin.lua'),
  reply: unlessProblem(([isNew, state]: readonly [number, StateReply]) => ({
    isNew: isNew === 1,
    state: toState(state),
  })),
} as const;

export const PUT = {
  keys: KEYS,
  args: ['number', 'previous', 'following', 'block'],
  repeatable: true,
  lua: transferLua('put.lua'),
  reply: unlessProblem(toState),
} as const;

export const AWAIT_ROOM = {
  keys: KEYS,
  args: ['size'],
  repeatable: true,
  lua: transferLua('await-room.lua'),
  reply: unlessProblem(toState),
} as const;

/** The position of a reader. */
export interface ReaderPlace {
  readonly blockSize: number;
  /** Number of its last acknowledged block. */
  readonly number: number;
  /** Digest of the chain up to it. */
  readonly digest: string;
  /** It has read everything. */
  readonly isOver: boolean;
  /** Bytes up to there. */
  readonly bytes: number;
}

type PlaceReply = readonly [blockSize: number, number: number, digest: string, isOver: number, bytes: number];

export const PLACE = {
  keys: KEYS,
  args: ['reader'],
  repeatable: true,
  lua: transferLua('place.lua'),
  reply: unlessProblem(
    ([blockSize, number, digest, isOver, bytes]: PlaceReply): ReaderPlace => ({
      blockSize,
      number,
      digest,
      isOver: isOver === 1,
      bytes,
    }),
  ),
} as const;

/** An entry of the stream of blocks, as a store that gives bytes returns it. */
export type BlockEntry = readonly [
  id: Buffer,
  fields: readonly [d: Buffer, digest: Buffer, b: Buffer, bytes: Buffer],
];

export const ACKNOWLEDGE = {
  keys: KEYS,
  args: ['reader', 'reached', 'chain'],
  repeatable: true,
  lua: transferLua('acknowledge.lua'),
  reply: unlessProblem(([place, [entry]]: readonly [number, readonly BlockEntry[]]) => ({ place, entry })),
} as const;

export const ADD_READER = {
  keys: KEYS,
  args: ['reader', 'start'],
  lua: transferLua('add-reader.lua'),
  reply: Number,
} as const;

export const DROP_READER = {
  keys: KEYS,
  args: ['reader'],
  lua: transferLua('drop-reader.lua'),
  reply: Number,
} as const;

type StatusReply = readonly [
  count: number,
  bytes: number,
  done: number,
  held: number,
  readersAndPlaces: readonly string[],
];

export const STATUS = {
  keys: KEYS,
  lua: transferLua('status.lua'),
  readOnly: true,
  reply: unlessProblem((reply: StatusReply) => reply),
} as const;
