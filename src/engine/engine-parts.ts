import type {
  HostPort,
  LogLevel,
  MachineFigures,
  PersistencePort,
  ShutdownOptions,
} from '../commands/engine-port.js';
import type { AdmissionChecks } from './running/admission.js';

/** A field of INFO. */
export type Fact = () => string | number;

/** What a part answers for the process. */
export type PartHost = Partial<Omit<HostPort, 'clientMemory'>>;

/**
 * Something around an engine: a server, a listener of an embedded store, a connector, files, replication. It says what it
 * takes part in; everything is optional. `Engine.attach` returns the way back.
 */
export interface EnginePart {
  /** What it answers for the process. Of several parts the one attached last answers. */
  readonly host?: PartHost;
  /** Keeps the data in files. Of several parts the one attached last does. */
  readonly persistence?: PersistencePort;
  /** Fields of INFO, in place of what an engine on its own would say. */
  readonly facts?: Readonly<Record<string, Fact>>;
  /** Asked before commands run. */
  readonly checks?: AdmissionChecks;
  /** What buffers of its clients take, in bytes. */
  readonly clientMemory?: number;
  /** Ten times a second. */
  tick?(): void;
  /** Replies that were held back may be sent now. */
  repliesReleased?(): void;
  /** Called repeatedly while a script takes too long: clients that have sent something are to be answered. */
  serveDuringScript?(): void;
  /** Such a script is over. */
  slowScriptEnded?(): void;
}

/** All parts attached to an engine; to commands they look like one host. The first one answers everything. */
export class EngineParts implements HostPort {
  #parts: readonly EnginePart[];

  constructor(first: EnginePart) {
    this.#parts = [first];
  }

  add(part: EnginePart): void {
    this.#parts = [...this.#parts, part];
  }

  remove(part: EnginePart): void {
    this.#parts = this.#parts.filter((each) => each !== part);
  }

  get count(): number {
    return this.#parts.length;
  }

  // ---- told to all of them ----

  tick(): void {
    for (const part of this.#parts) part.tick?.();
  }

  repliesReleased(): void {
    for (const part of this.#parts) part.repliesReleased?.();
  }

  serveDuringScript(): void {
    // What others were answered before has waited long enough; nothing the script did is among it.
    this.persistence.settle();
    for (const part of this.#parts) part.serveDuringScript?.();
  }

  slowScriptEnded(): void {
    for (const part of this.#parts) part.slowScriptEnded?.();
  }

  // ---- answered by all together, or by the last one that can ----

  get clientMemory(): number {
    let total = 0;
    for (const part of this.#parts) total += part.clientMemory ?? 0;
    return total;
  }

  get persistence(): PersistencePort {
    return this.#parts.findLast((part) => part.persistence !== undefined)?.persistence as PersistencePort;
  }

  fact(name: string): Fact | undefined {
    return this.#parts.findLast((part) => part.facts?.[name] !== undefined)?.facts?.[name];
  }

  log(level: LogLevel, message: string): void {
    this.#hostWith('log').log(level, message);
  }

  machine(): MachineFigures {
    return this.#hostWith('machine').machine();
  }

  shutdown(options: ShutdownOptions): boolean {
    return this.#hostWith('shutdown').shutdown(options);
  }

  abortShutdown(): boolean {
    return this.#hostWith('abortShutdown').abortShutdown();
  }

  crash(reason: string): void {
    this.#hostWith('crash').crash(reason);
  }

  rewriteSettings(): void {
    this.#hostWith('rewriteSettings').rewriteSettings();
  }

  /** Absent where no other server can be reached. */
  get peer(): HostPort['peer'] {
    const host = this.#parts.findLast((part) => part.host?.peer !== undefined)?.host;
    return host?.peer?.bind(host);
  }

  #hostWith<Name extends keyof PartHost>(name: Name): Required<Pick<PartHost, Name>> {
    const part = this.#parts.findLast(({ host }) => host?.[name] !== undefined);
    return part?.host as Required<Pick<PartHost, Name>>;
  }
}
