import type { Bytes } from '../../bytes/bytes.js';
import { quote } from '../../bytes/quoting.js';
import type { MonitorsPort } from '../../commands/engine-port.js';
import { FLAG } from '../../commands/flag.js';
import type { ArgumentList } from '../../commands/key-positions.js';
import { isSecret, REDACTED } from '../../commands/redaction.js';
import { type Session, SessionGate } from '../../commands/session.js';
import type { Command } from '../../commands/table.js';
import type { Engine } from '../engine.js';
import { EngineGate } from '../running/gates.js';

/** The clients of MONITOR, which see every command that has run. */
export class Monitors implements MonitorsPort {
  readonly #engine: Engine;
  readonly #sessions = new Set<Session>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  get size(): number {
    return this.#sessions.size;
  }

  add(session: Session): void {
    this.#sessions.add(session);
    session.isMonitor = true;
    session.gates |= SessionGate.observer;
    this.#engine.gates |= EngineGate.monitors;
  }

  remove(session: Session): void {
    if (!this.#sessions.delete(session)) return;
    session.isMonitor = false;
    session.gates &= ~SessionGate.observer;
    if (this.#sessions.size === 0) this.#engine.gates &= ~EngineGate.monitors;
  }

  /** Shows a command that has run, unless its row excludes it. */
  show(session: Session, by: 'client' | 'script', command: Command, args: ArgumentList): void {
    if (this.#sessions.size === 0 || (command.flagBits & (FLAG.admin | FLAG.skip_monitor)) !== 0) return;
    this.feed(session, by, command, args);
  }

  feed(session: Session, by: 'client' | 'script', command: Command, args: ArgumentList): void {
    if (this.#sessions.size === 0) return;
    const source = by === 'script' ? 'lua' : this.#addressOf(session);
    const pieces = [`+${this.#time()} [${session.db.index} ${source}]`];
    for (let i = 0; i < args.argc; i++) {
      pieces.push(' ');
      if (isSecret(command, args, i)) pieces.push(quote(REDACTED));
      else addQuoted(pieces, args.arg(i));
    }
    pieces.push('\r\n');
    const bytes = joined(pieces);
    for (const monitor of this.#sessions) this.#engine.send(monitor, bytes);
  }

  #addressOf(session: Session): string {
    return session.isUnixSocket ? `unix:${this.#engine.settings.text('unixsocket')}` : session.address;
  }

  /** Unix time in seconds, with six decimals. */
  #time(): string {
    const micros = this.#engine.keyspace.clock.micros();
    const seconds = Math.floor(micros / 1_000_000);
    return `${seconds}.${String(micros % 1_000_000).padStart(6, '0')}`;
  }
}

/** Adds the quoted argument. A long one is split: quoted, it could exceed the maximum length of a string. */
function addQuoted(pieces: string[], argument: Bytes): void {
  if (argument.length <= MAX_PIECE) {
    pieces.push(quote(argument.toString()));
    return;
  }
  pieces.push('"');
  const { buf, end } = argument;
  for (let at = argument.start; at < end; at += MAX_PIECE) {
    pieces.push(quote(buf.latin1Slice(at, Math.min(end, at + MAX_PIECE))).slice(1, -1));
  }
  pieces.push('"');
}

function joined(pieces: readonly string[]): Buffer {
  let size = 0;
  for (const piece of pieces) size += piece.length;
  const bytes = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (const piece of pieces) at += bytes.latin1Write(piece, at);
  return bytes;
}

const MAX_PIECE = 1 << 20;
