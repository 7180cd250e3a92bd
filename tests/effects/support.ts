import assert from 'node:assert/strict';
import { Bytes } from '../../src/bytes/bytes.js';
import { ManualClock } from '../../src/bytes/clock.js';
import type { OutputSink, Session } from '../../src/commands/session.js';
import { Engine } from '../../src/engine/engine.js';
import { RespWriter } from '../../src/resp/resp-writer.js';

/** An engine with a fixed clock, and a record of the commands that reproduce its changes. */
export class RecordedEngine {
  readonly clock: ManualClock;
  readonly engine: Engine;
  readonly #session: Session;
  readonly #writer = new RespWriter();
  #recorded: string[] = [];

  constructor(start = 1_700_000_000_000) {
    this.clock = new ManualClock(start);
    this.engine = new Engine({ clock: this.clock });
    this.#session = this.engine.openSession(NO_OUTPUT);
    this.engine.keyspace.effects.subscribe({
      batch: (commands) => {
        for (const { argv } of commands) {
          this.#recorded.push(argv.map((word) => word.toString('latin1')).join(' '));
        }
      },
    });
  }

  /** Opens another session, for `run`. */
  openSession(): Session {
    return this.engine.openSession(NO_OUTPUT);
  }

  /**
   * Runs a line of words separated by single spaces (`''` is the empty word), and returns the commands recorded for
   * it.
   */
  run(line: string, session = this.#session): string[] {
    this.#execute(line, session);
    return this.#recorded;
  }

  /** Runs a line of words and returns the encoded reply (RESP2, latin1). */
  ask(line: string): string {
    return this.#execute(line, this.#session);
  }

  #execute(line: string, session: Session): string {
    const args = line.split(' ').map((word) => Bytes.of(word === "''" ? '' : word));
    this.#recorded = [];
    this.engine.beginTurn();
    this.engine.execute(session, args, args.length, this.#writer);
    this.engine.endTurn();
    const reply = this.#writer.copyFrom(0).toString('latin1');
    this.#writer.reset();
    return reply;
  }

  /** Runs each line and checks that the commands after it, possibly none, were recorded. */
  check(expected: readonly (readonly [line: string, ...recorded: string[]])[]): void {
    for (const [line, ...recorded] of expected) assert.deepEqual(this.run(line), recorded, line);
  }
}

const NO_OUTPUT: OutputSink = { send() {}, close() {}, pending: 0, resume() {} };
