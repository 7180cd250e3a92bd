import type { EnginePort } from '../engine-port.js';
import { type ConnectionFigures, type Session, SessionGate } from '../session.js';
import { redirectOf } from './tracking.js';

/** The classes that CLIENT LIST TYPE, CLIENT KILL TYPE and the output buffer limits distinguish. */
export type ClientClass = 'normal' | 'replica' | 'pubsub' | 'master';

export function classOf(session: Session): ClientClass {
  if (session.kind === 'master' || session.kind === 'replica') return session.kind;
  return isSubscriber(session) ? 'pubsub' : 'normal';
}

/** By the name that a command gives; undefined if there is no such class. */
export function classNamed(name: string): ClientClass | undefined {
  const known = name.toLowerCase();
  if (known === 'slave') return 'replica';
  return known === 'normal' || known === 'replica' || known === 'pubsub' || known === 'master'
    ? known
    : undefined;
}

function isSubscriber({ channels, patterns, shardChannels }: Session): boolean {
  return channels.size + patterns.size + shardChannels.size > 0;
}

/** The line of CLIENT LIST and CLIENT INFO, its end included. */
export function clientLine(session: Session, engine: EnginePort): string {
  const { now } = engine.keyspace;
  const seconds = (since: number): number => Math.max(0, Math.floor((now - since) / 1000));
  const buffers = session.sink.figures?.() ?? NO_BUFFERS;
  const queued = session.queue;
  const fields: readonly (readonly [string, string | number])[] = [
    ['id', session.id],
    ['addr', session.address],
    ['laddr', session.localAddress],
    ['fd', session.fd],
    ['name', session.name],
    ['age', seconds(session.createdAt)],
    ['idle', seconds(session.lastActiveAt)],
    ['flags', flagsOf(session)],
    ['db', session.db.index],
    ['sub', session.channels.size],
    ['psub', session.patterns.size],
    ['ssub', session.shardChannels.size],
    ['multi', queued === undefined ? -1 : queued.length],
    ['qbuf', buffers.queryBuffer],
    ['qbuf-free', buffers.queryBufferFree],
    ['argv-mem', buffers.argumentBytes],
    ['multi-mem', queuedMemory(session)],
    ['rbs', buffers.replySize],
    ['rbp', buffers.replyPeak],
    ['obl', buffers.replies],
    ['oll', buffers.outputPieces],
    ['omem', buffers.output],
    ['tot-mem', clientBytes(session, buffers)],
    ['events', buffers.events],
    ['cmd', session.lastCommand?.fullName ?? 'NULL'],
    ['user', session.user?.name ?? '(superuser)'],
    ['redir', redirectOf(session)],
    ['resp', session.protocol],
  ];
  return `${fields.map(([name, value]) => `${name}=${value}`).join(' ')}\n`;
}

/** All memory of a client: `maxmemory-clients` limits the sum. */
export function clientBytes(
  session: Session,
  { inputMemory, replies, output }: ConnectionFigures = session.sink.figures?.() ?? NO_BUFFERS,
): number {
  return sessionBytes(session) + inputMemory + replies + output;
}

/** Bytes of the commands queued since MULTI, counted as Redis does. */
function queuedMemory({ queue = [] }: Session): number {
  let bytes = queue.length * REDIS_QUEUED_COMMAND_BYTES;
  for (const { args } of queue) for (const { start, end } of args) bytes += end - start;
  return bytes;
}

/** Memory of a session without the buffers of its connection, estimated. */
export function sessionBytes({
  queuedBytes,
  watched,
  channels,
  patterns,
  shardChannels,
  tracking,
}: Session): number {
  const subscriptions = channels.size + patterns.size + shardChannels.size;
  const prefixes = tracking === undefined ? 0 : tracking.prefixes.length;
  return SESSION_BYTES + queuedBytes + (watched.length + subscriptions + prefixes) * ENTRY_BYTES;
}

function flagsOf(session: Session): string {
  const { tracking } = session;
  const replica = session.isMonitor ? 'O' : 'S';
  const letters: readonly (readonly [string, boolean | undefined])[] = [
    [replica, session.isMonitor || session.kind === 'replica'],
    ['M', session.kind === 'master'],
    ['P', isSubscriber(session)],
    ['x', session.queue !== undefined],
    ['b', (session.gates & SessionGate.blocked) !== 0],
    ['t', tracking !== undefined],
    ['R', tracking?.redirectBroken],
    ['B', tracking?.broadcast],
    ['d', session.watchFailed],
    ['c', session.closing],
    ['U', session.isUnixSocket],
    ['r', session.readsReplicas],
    ['e', session.noEvict],
  ];
  const flags = letters.map(([letter, is]) => (is === true ? letter : '')).join('');
  return flags === '' ? 'N' : flags;
}

const NO_BUFFERS: ConnectionFigures = {
  queryBuffer: 0,
  queryBufferFree: 0,
  inputMemory: 0,
  argumentBytes: 0,
  replySize: 0,
  replyPeak: 0,
  replies: 0,
  output: 0,
  outputPieces: 0,
  events: '',
};
const REDIS_QUEUED_COMMAND_BYTES = 24;
/** Estimated memory of a session, and of each watched key, channel or prefix. */
const SESSION_BYTES = 1024;
const ENTRY_BYTES = 64;
