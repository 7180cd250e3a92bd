import type { Settings } from '../../commands/config/settings.js';
import type { LatencyHistogram, StatisticsPort } from '../../commands/statistics-port.js';
import type { CommandTable } from '../../commands/table.js';
import { countingCommandsOf, quickArgumentsOf } from '../running/quick-commands.js';
import { DurationHistogram, slotOf } from './latency-histogram.js';

/**
 * The counters that INFO shows. Reading the clock costs as much as a short command, so quick commands are not timed
 * individually: they are counted while a chunk of input is processed, the chunk is timed as a whole, and each quick
 * command is charged the average. Commands that may take longer are timed individually, and so are all commands if the
 * slow log or the latency monitor needs exact times.
 */
export class Statistics implements StatisticsPort {
  connectionsReceived = 0;
  rejectedConnections = 0;
  evictedClients = 0;
  expiringMs = 0;
  replyBufferShrinks = 0;
  replyBufferExpands = 0;
  inputBytes = 0;
  outputBytes = 0;
  reads = 0;
  writes = 0;
  errorReplies = 0;
  unexpectedErrors = 0;
  peakMemory = 0;
  readonly errors = new Map<string, number>();

  /** The maximum number of arguments, by command id, with which a command is not timed individually; 0 means never. */
  readonly quickArguments: Uint16Array;
  /** 1 for commands, by id, that are timed only if they declare many elements. */
  readonly counting: Uint8Array;
  readonly #calls: Float64Array;
  readonly #micros: Float64Array;
  readonly #rejected: Float64Array;
  readonly #failed: Float64Array;
  readonly #histograms: (DurationHistogram | undefined)[];
  #tracksLatency = true;

  /** Quick commands of the current chunk: calls by id, the ids, and the number of ids. */
  readonly #quick: Uint32Array;
  readonly #quickIds: Int32Array;
  #quickKinds = 0;
  /** When the current chunk began, and the ms of it spent in timed commands. */
  #chunkStart = 0;
  #timedInChunk = 0;
  /** For single commands (`beginLone`): whether this one is timed, how many follow untimed, what each took when it was timed. */
  #areLone = false;
  #isSampling = false;
  #untilSample = 0;
  readonly #sampledMicros: Float64Array;
  /** What the last timed one took, for commands that have not been timed yet. */
  #lastMicros = 0;

  readonly #rates = { commands: new Rate(), input: new Rate(), output: new Rate() };

  constructor(table: CommandTable, settings: Settings) {
    const { idLimit } = table;
    this.quickArguments = new Uint16Array(idLimit);
    this.counting = new Uint8Array(idLimit);
    this.#calls = new Float64Array(idLimit);
    this.#micros = new Float64Array(idLimit);
    this.#rejected = new Float64Array(idLimit);
    this.#failed = new Float64Array(idLimit);
    this.#histograms = Array(idLimit).fill(undefined);
    this.#sampledMicros = new Float64Array(idLimit);
    this.#quick = new Uint32Array(idLimit);
    this.#quickIds = new Int32Array(idLimit);
    const quickArguments = quickArgumentsOf(table);
    const counting = countingCommandsOf(table);
    settings.onChange('latency-tracking', (text) => {
      this.#tracksLatency = text === 'yes';
    });
    const exact = (): void => {
      const threshold = settings.number('slowlog-log-slower-than');
      const all = (threshold >= 0 && threshold < 1000) || settings.number('latency-monitor-threshold') > 0;
      if (all) this.quickArguments.fill(0);
      else this.quickArguments.set(quickArguments);
      if (all) this.counting.fill(0);
      else this.counting.set(counting);
    };
    settings.onChange('slowlog-log-slower-than', exact);
    settings.onChange('latency-monitor-threshold', exact);
  }

  // ---- counting ----

  beginChunk(): void {
    if (this.#areLone) this.#endLone();
    this.#chunkStart = performance.now();
    this.#timedInChunk = 0;
  }

  /** Called when all commands of the chunk have run. */
  endChunk(): void {
    if (this.#quickKinds > 0) this.#settle();
  }

  /**
   * Like `beginChunk`, for a chunk of very few commands, usually one. Reading the clock twice would cost as much as the command,
   * so after a timed chunk the next `untimed` ones are not timed, and each command is charged what it took when it was timed.
   */
  beginLone(untimed = LONE_PER_SAMPLE): void {
    this.#areLone = true;
    if (this.#untilSample-- > 0) return;
    this.#untilSample = untimed;
    this.#charge(SAMPLED);
    this.#isSampling = true;
    this.#timedInChunk = 0;
    this.#chunkStart = performance.now();
  }

  endLone(): void {
    if (!this.#isSampling) return;
    this.#isSampling = false;
    if (this.#quickKinds === 0) return;
    const micros = this.#microsOfEach(performance.now());
    this.#lastMicros = micros;
    for (let i = 0; i < this.#quickKinds; i++) this.#sampledMicros[this.#quickIds[i] as number] = micros;
    this.#charge(micros);
  }

  /** Charges the remaining single commands before a chunk is timed. */
  #endLone(): void {
    this.#charge(SAMPLED);
    this.#areLone = false;
  }

  /** Charges the quick commands that have run since the chunk began. */
  #settle(): void {
    if (this.#areLone) {
      this.#charge(SAMPLED);
      return;
    }
    const now = performance.now();
    this.#charge(this.#microsOfEach(now));
    this.#chunkStart = now;
    this.#timedInChunk = 0;
  }

  /** The time since the chunk began, shared equally by the quick commands that have been counted. */
  #microsOfEach(now: number): number {
    let count = 0;
    for (let i = 0; i < this.#quickKinds; i++) count += this.#quick[this.#quickIds[i] as number] as number;
    return (Math.max(0, now - this.#chunkStart - this.#timedInChunk) * 1000) / count;
  }

  /** Charges `micros` to each quick command that has been counted; `SAMPLED` stands for what it took when it was last timed. */
  #charge(micros: number): void {
    for (let i = 0; i < this.#quickKinds; i++) {
      const id = this.#quickIds[i] as number;
      const calls = this.#quick[id] as number;
      const each = micros === SAMPLED ? (this.#sampledMicros[id] as number) || this.#lastMicros : micros;
      this.#quick[id] = 0;
      (this.#calls[id] as number) += calls;
      (this.#micros[id] as number) += each * calls;
      if (this.#tracksLatency) this.#record(id, slotOf(each * 1000), calls);
    }
    this.#quickKinds = 0;
  }

  countQuick(id: number): void {
    const count = this.#quick[id] as number;
    this.#quick[id] = count + 1;
    if (count === 0) this.#quickIds[this.#quickKinds++] = id;
  }

  countTimed(id: number, milliseconds: number): void {
    (this.#calls[id] as number)++;
    (this.#micros[id] as number) += milliseconds * 1000;
    this.#timedInChunk += milliseconds;
    if (this.#tracksLatency) this.#record(id, slotOf(Math.floor(milliseconds * 1000) * 1000), 1);
  }

  #record(id: number, slot: number, calls: number): void {
    let histogram = this.#histograms[id];
    if (histogram === undefined) {
      histogram = new DurationHistogram();
      this.#histograms[id] = histogram;
    }
    (histogram.slots[slot] as number) += calls;
  }

  /** Counts a command that was refused before it ran. */
  countRejected(id: number): void {
    (this.#rejected[id] as number)++;
  }

  /** Counts a command that ran and failed. */
  countFailed(id: number): void {
    (this.#failed[id] as number)++;
  }

  /** Counts an error reply; `text` begins with its code. */
  countError(text: string): void {
    this.errorReplies++;
    const end = text.indexOf(' ');
    const code = end < 0 ? text : text.slice(0, end);
    this.errors.set(code, (this.errors.get(code) ?? 0) + 1);
  }

  /** Called ten times a second. */
  sample(unixMs: number, usedMemory: number): void {
    this.#rates.commands.sample(unixMs, this.commandsProcessed);
    this.#rates.input.sample(unixMs, this.inputBytes);
    this.#rates.output.sample(unixMs, this.outputBytes);
    this.peakMemory = Math.max(this.peakMemory, usedMemory);
  }

  /** CONFIG RESETSTAT. */
  reset(usedMemory: number): void {
    this.endChunk();
    this.connectionsReceived = this.rejectedConnections = this.evictedClients = 0;
    this.expiringMs = 0;
    this.replyBufferShrinks = this.replyBufferExpands = 0;
    this.inputBytes = this.outputBytes = this.reads = this.writes = this.errorReplies = 0;
    this.unexpectedErrors = 0;
    this.errors.clear();
    this.peakMemory = usedMemory;
    for (const counts of [this.#calls, this.#micros, this.#rejected, this.#failed]) counts.fill(0);
    this.#histograms.fill(undefined);
    for (const rate of Object.values(this.#rates)) rate.reset();
  }

  // ---- reading ----

  get commandsProcessed(): number {
    this.endChunk();
    let total = 0;
    for (const count of this.#calls) total += count;
    return total;
  }

  get commandRate(): number {
    return this.#rates.commands.perSecond;
  }

  get inputRate(): number {
    return this.#rates.input.perSecond;
  }

  get outputRate(): number {
    return this.#rates.output.perSecond;
  }

  calls(id: number): number {
    this.endChunk();
    return this.#calls[id] ?? 0;
  }

  micros(id: number): number {
    this.endChunk();
    return Math.floor(this.#micros[id] ?? 0);
  }

  rejected(id: number): number {
    return this.#rejected[id] ?? 0;
  }

  failed(id: number): number {
    return this.#failed[id] ?? 0;
  }

  latencies(id: number): LatencyHistogram | undefined {
    this.endChunk();
    return this.#histograms[id];
  }
}

/** The rate of a counter: the mean of the last samples. */
class Rate {
  readonly #samples = new Float64Array(RATE_SAMPLES);
  #next = 0;
  #lastTime = 0;
  #lastCount = 0;

  sample(unixMs: number, count: number): void {
    const elapsed = unixMs - this.#lastTime;
    if (elapsed > 0 && elapsed < MIN_SAMPLE_MS) return;
    if (this.#lastTime > 0 && elapsed > 0) {
      this.#samples[this.#next] = (Math.max(0, count - this.#lastCount) * 1000) / elapsed;
      this.#next = (this.#next + 1) % RATE_SAMPLES;
    }
    this.#lastTime = unixMs;
    this.#lastCount = count;
  }

  get perSecond(): number {
    return this.#samples.reduce((sum, each) => sum + each, 0) / RATE_SAMPLES;
  }

  reset(): void {
    this.#samples.fill(0);
    this.#lastTime = 0;
  }
}

const RATE_SAMPLES = 16;
/** With a high `hz`, samples are taken less often than ticks. */
const MIN_SAMPLE_MS = 50;

const LONE_PER_SAMPLE = 63;
const SAMPLED = -1;

/** A request of more bytes than this is always timed. */
export const LONG_REQUEST = 1 << 16;
