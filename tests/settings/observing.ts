import { Bytes } from '../../src/bytes/bytes.js';
import { ManualClock } from '../../src/bytes/clock.js';
import { seededRandom } from '../../src/bytes/random.js';
import { Settings } from '../../src/commands/config/settings.js';
import type { OutputSink } from '../../src/commands/session.js';
import { Engine } from '../../src/engine/engine.js';
import { RespWriter } from '../../src/resp/resp-writer.js';

export type Values = Readonly<Record<string, string>>;

/** Shows that a setting has an effect: the result of `observe` is different with `value`. */
export interface Probe {
  readonly value: string;
  observe(values: Values): unknown;
}

/** An engine with these settings, a fixed clock and the same random choices in every run. */
export class ProbedEngine {
  readonly clock = new ManualClock(1_700_000_000_000);
  readonly engine: Engine;
  readonly recorded: string[] = [];

  constructor(values: Values) {
    const settings = new Settings();
    for (const [name, text] of Object.entries(values)) settings.configure(name, text);
    const databases = settings.number('databases');
    this.engine = new Engine({ settings, databases, clock: this.clock, random: seededRandom(7) });
    this.engine.keyspace.effects.subscribe({
      batch: (commands) => {
        for (const { argv } of commands) this.recorded.push(argv[0]?.toString('latin1') ?? '');
      },
    });
  }

  /** Runs each line of words as a command in a new session, and returns the encoded replies. */
  ask(...lines: readonly (string | readonly string[])[]): string[] {
    const session = this.engine.openSession(NO_OUTPUT);
    const writer = new RespWriter();
    return lines.map((line) => {
      const words = typeof line === 'string' ? line.split(' ') : line;
      const args = words.map((word) => Bytes.of(word));
      this.engine.beginTurn();
      this.engine.execute(session, args, args.length, writer);
      this.engine.endTurn();
      const reply = writer.copyFrom(0).toString('latin1');
      writer.reset();
      return reply;
    });
  }
}

/** A probe that runs commands and observes the last reply. */
export function lastReply(
  value: string,
  lines: readonly (string | readonly string[])[],
  others: Values = {},
): Probe {
  return { value, observe: (values) => new ProbedEngine({ ...others, ...values }).ask(...lines).at(-1) };
}

const NO_OUTPUT: OutputSink = { send() {}, close() {}, pending: 0, resume() {} };
