import type { Bytes } from '../../bytes/bytes.js';
import type { Call } from '../../commands/call.js';
import { FLAG } from '../../commands/flag.js';
import { SessionGate } from '../../commands/session.js';
import type { Engine } from '../engine.js';
import { LONG_REQUEST, type Statistics } from '../statistics/statistics.js';

/**
 * Runs admitted commands: calls the handler, counts and times it, and records what it changed. All commands run here,
 * whether they come from a client, a transaction, a script or a file.
 */
export class Runner {
  readonly #engine: Engine;
  readonly #statistics: Statistics;
  /** When the last command that is timed began, by `performance.now()`; scripts are timed. 0 if it is not known. */
  startedAt = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#statistics = engine.statistics;
  }

  /** Returns the text of the command's error, for the caller to reply; undefined if it succeeded. */
  run(call: Call): string | undefined {
    const { args, argc } = call;
    const { id } = call.command;
    const bytes = (args[argc - 1] as Bytes).end - (args[0] as Bytes).start;
    if (argc > (this.#statistics.quickArguments[id] as number) || bytes > LONG_REQUEST) {
      return this.#statistics.counting[id] === 1 ? this.#runCounting(call) : this.#runTimed(call);
    }
    const thrown = this.#attempt(call);
    this.#statistics.countQuick(id);
    return thrown === undefined ? undefined : this.#failed(call, thrown);
  }

  /** Runs a command that is timed only from where it declares many elements. */
  #runCounting(call: Call): string | undefined {
    call.timedSince = 0;
    const thrown = this.#attempt(call);
    if (call.timedSince !== 0) return this.#timed(call, timer.now() - call.timedSince, thrown);
    this.#statistics.countQuick(call.command.id);
    return thrown === undefined ? undefined : this.#failed(call, thrown);
  }

  /** Runs and times a command that may be slow, for the slow log and the latency monitor. */
  #runTimed(call: Call): string | undefined {
    const start = timer.now();
    this.startedAt = start;
    const thrown = this.#attempt(call);
    return this.#timed(call, timer.now() - start, thrown);
  }

  #timed(call: Call, milliseconds: number, thrown: unknown): string | undefined {
    this.#statistics.countTimed(call.command.id, milliseconds);
    const failure = thrown === undefined ? undefined : this.#failed(call, thrown);
    try {
      this.#noteDuration(call, milliseconds);
    } catch (error) {
      // Only log the error: the command has run, and its reply is valid.
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

  /** Runs a command that is neither counted nor timed. Returns what its handler threw. */
  runUncounted(call: Call): unknown {
    this.startedAt = 0;
    return this.#attempt(call);
  }

  /** Only runs the handler and records what it changed. Returns what the handler threw. */
  #attempt(call: Call): unknown {
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

/** Read once: the global is a getter. */
const timer = performance;
