import { quote } from '../bytes/quoting.js';
import type { MonitorsPort } from '../commands/engine-port.js';
import { FLAG } from '../commands/flag.js';
import type { ArgumentList } from '../commands/key-positions.js';
import { redactedText } from '../commands/redaction.js';
import { type Session, SessionGate } from '../commands/session.js';
import type { Command } from '../commands/table.js';
import type { Engine } from './engine.js';
import { EngineGate } from './gates.js';

/** The clients that see every command as it has run. */
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
    session.gates |= SessionGate.monitor;
    this.#engine.gates |= EngineGate.monitors;
  }

  remove(session: Session): void {
    if (!this.#sessions.delete(session)) return;
    session.isMonitor = false;
    session.gates &= ~SessionGate.monitor;
    if (this.#sessions.size === 0) this.#engine.gates &= ~EngineGate.monitors;
  }

  /** Shows a command that has run, unless its row hides it. */
  show(session: Session, by: 'client' | 'script', command: Command, args: ArgumentList): void {
    if (this.#sessions.size === 0 || (command.flagBits & (FLAG.admin | FLAG.skip_monitor)) !== 0) return;
    this.feed(session, by, command, args);
  }

  feed(session: Session, by: 'client' | 'script', command: Command, args: ArgumentList): void {
    if (this.#sessions.size === 0) return;
    const source = by === 'script' ? 'lua' : this.#addressOf(session);
    let line = `+${this.#time()} [${session.db.index} ${source}]`;
    for (let i = 0; i < args.argc; i++) line += ` ${quote(redactedText(command, args, i))}`;
    const bytes = Buffer.from(`${line}\r\n`, 'latin1');
    for (const monitor of this.#sessions) this.#engine.send(monitor, bytes);
  }

  #addressOf(session: Session): string {
    return session.isUnixSocket ? `unix:${this.#engine.settings.text('unixsocket')}` : session.address;
  }

  /** Seconds with microseconds. */
  #time(): string {
    const micros = this.#engine.keyspace.clock.micros();
    const seconds = Math.floor(micros / 1_000_000);
    return `${seconds}.${String(micros % 1_000_000).padStart(6, '0')}`;
  }
}
