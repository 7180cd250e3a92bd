import type { Bytes } from '../../bytes/bytes.js';
import type { Call } from '../../commands/call.js';
import { FLAG } from '../../commands/flag.js';
import { SessionGate } from '../../commands/session.js';
import type { Engine } from '../engine.js';
import { LONG_REQUEST, type Statistics } from '../statistics/statistics.js';

/**
 * Runs commands that have been admitted: calls the handler, counts and times it, and records what it changed. Every
 * command goes through here, whether a client, a transaction, a script or a file brings it.
 */
export class Runner {
  readonly #engine: Engine;
  readonly #statistics: Statistics;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#statistics = engine.statistics;
  }

  /** Returns the error that the command ended in, as text; the caller replies with it. */
  run(call: Call): string | undefined {
    const { args, argc } = call;
    const { id } = call.command;
    const bytes = (args[argc - 1] as Bytes).end - (args[0] as Bytes).start;
    if (argc > (this.#statistics.quickArguments[id] as number) || bytes > LONG_REQUEST) {
      return this.#runTimed(call);
    }
    const thrown = this.attempt(call);
    this.#statistics.countQuick(id);
    return thrown === undefined ? undefined : this.#failed(call, thrown);
  }

  /** The command may be slow: measures it, and remembers it if it was. */
  #runTimed(call: Call): string | undefined {
    const { command } = call;
    const start = timer.now();
    const thrown = this.attempt(call);
    const milliseconds = timer.now() - start;
    this.#statistics.countTimed(command.id, milliseconds);
    const failure = thrown === undefined ? undefined : this.#failed(call, thrown);
    try {
      this.#noteDuration(call, milliseconds);
    } catch (error) {
      // The command has run: its reply stands.
      this.#engine.failureText(error);
    }
    return failure;
  }

  #noteDuration(call: Call, milliseconds: number): void {
    const { command, session } = call;
    const { slowLog, latencyMonitor, blocking } = this.#engine;
    const micros = milliseconds * 1000;
    if ((session.gates & SessionGate.blocked) !== 0) blocking.ranUntilNow(session, call, micros);
    else if (micros >= slowLog.threshold) slowLog.add(session, command, call, micros, call.now);
    if (milliseconds >= latencyMonitor.threshold) {
      const kind = (command.flagBits & FLAG.fast) !== 0 ? 'fast-command' : 'command';
      latencyMonitor.add(kind, milliseconds, call.now);
    }
  }

  #failed({ command }: Call, thrown: unknown): string {
    const text = this.#engine.failureText(thrown);
    this.#statistics.countFailed(command.id);
    this.#statistics.countError(text);
    return text;
  }

  /** Runs the handler and records what it changed, no more. Returns what it threw. */
  attempt(call: Call): unknown {
    const { effects } = call;
    const { dirty } = effects;
    let thrown: unknown;
    try {
      call.command.run(call);
    } catch (error) {
      thrown = error;
    }
    if (effects.recording)
      effects.finishCommand(call.db.index, call.args, call.argc, effects.dirty !== dirty);
    return thrown;
  }
}

/** Looked up once: as a global it is asked for through a getter each time. */
const timer = performance;
