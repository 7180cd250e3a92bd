import type { ClusterPort } from '../commands/cluster-port.js';
import type { PersistencePort, ShutdownOptions } from '../commands/engine-port.js';
import type { HostPort, LogLevel, MachineFigures } from '../commands/host-port.js';
import type { ReplicationPort } from '../commands/replication-port.js';
import type { Session } from '../commands/session.js';
import type { AdmissionChecks } from './running/admission.js';

/** A field of INFO. */
export type Fact = () => string | number;

/** The host functions that a part implements. */
export type PartHost = Partial<Omit<HostPort, 'clientMemory'>>;

/**
 * A part attached to an engine: a server, a listener of an embedded store, a connector, files, replication. It implements
 * what it needs; every member is optional. `Engine.attach` returns a function that detaches it.
 */
export interface EnginePart {
  /** Host functions. If several parts implement one, the part attached last is used. */
  readonly host?: PartHost;
  /** Keeps the data in files. If several parts do, the part attached last is used. */
  readonly persistence?: PersistencePort;
  /** Keeps copies of the data on other servers. If several parts do, the part attached last is used. */
  readonly replication?: ReplicationPort;
  /** Makes the engine, whose database 0 is empty, a node of a cluster. */
  readonly cluster?: ClusterPort;
  /** Fields of INFO, which replace the engine's own. */
  readonly facts?: Readonly<Record<string, Fact>>;
  /** Called before commands run. */
  readonly checks?: AdmissionChecks;
  /** Bytes used by the buffers of its clients. */
  readonly clientMemory?: number;
  /** Called ten times a second. */
  tick?(): void;
  /** Called when replies that were held back may be sent. */
  repliesReleased?(): void;
  /** Called when replies that were held back must not be sent: the changes that they acknowledge could not be stored. */
  repliesLost?(reason: string): void;
  /** Called repeatedly during a slow script, to accept clients and answer requests. */
  serveDuringScript?(): void;
  /** Called when a slow script has ended. */
  slowScriptEnded?(): void;
  /** CONFIG RESETSTAT: sets its counters to 0. */
  resetCounters?(): void;
}

/** The parts attached to an engine, as one host. The first part implements every host function. */
export class EngineParts implements HostPort {
  #parts: readonly EnginePart[];
  #replication: ReplicationPort;
  #cluster: ClusterPort | undefined;

  constructor(first: EnginePart) {
    this.#parts = [first];
    this.#replication = first.replication as ReplicationPort;
  }

  add(part: EnginePart): void {
    this.#setParts([...this.#parts, part]);
  }

  remove(part: EnginePart): void {
    this.#setParts(this.#parts.filter((each) => each !== part));
  }

  #setParts(parts: readonly EnginePart[]): void {
    this.#parts = parts;
    this.#replication = parts.findLast(({ replication }) => replication !== undefined)
      ?.replication as ReplicationPort;
    this.#cluster = parts.findLast(({ cluster }) => cluster !== undefined)?.cluster;
  }

  get count(): number {
    return this.#parts.length;
  }

  // ---- calls to all parts ----

  tick(): void {
    for (const part of this.#parts) part.tick?.();
  }

  repliesReleased(): void {
    for (const part of this.#parts) part.repliesReleased?.();
  }

  repliesLost(reason: string): void {
    for (const part of this.#parts) part.repliesLost?.(reason);
  }

  serveDuringScript(): void {
    // Release replies that were written before the script began. None of them depends on the script.
    this.persistence.settle();
    for (const part of this.#parts) part.serveDuringScript?.();
  }

  slowScriptEnded(): void {
    for (const part of this.#parts) part.slowScriptEnded?.();
  }

  resetCounters(): void {
    for (const part of this.#parts) part.resetCounters?.();
  }

  // ---- answered by all parts together, or by the last one that can ----

  get clientMemory(): number {
    let total = 0;
    for (const part of this.#parts) total += part.clientMemory ?? 0;
    return total;
  }

  get persistence(): PersistencePort {
    return this.#parts.findLast((part) => part.persistence !== undefined)?.persistence as PersistencePort;
  }

  /** Looked up often, so it is kept. */
  get replication(): ReplicationPort {
    return this.#replication;
  }

  get cluster(): ClusterPort | undefined {
    return this.#cluster;
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

  readsOthersFirst(session: Session): boolean {
    return this.#hostWith('readsOthersFirst').readsOthersFirst(session);
  }

  shutdown(options: ShutdownOptions, session?: Session): boolean {
    return this.#hostWith('shutdown').shutdown(options, session);
  }

  abortShutdown(): boolean {
    return this.#hostWith('abortShutdown').abortShutdown();
  }

  crash(reason: string): void {
    this.#hostWith('crash').crash(reason);
  }

  readText(path: string): string {
    return this.#hostWith('readText').readText(path);
  }

  replaceText(path: string, text: string): void {
    this.#hostWith('replaceText').replaceText(path, text);
  }

  rewriteSettings(): void {
    this.#hostWith('rewriteSettings').rewriteSettings();
  }

  /** Undefined if the engine cannot connect to other servers. */
  get peer(): HostPort['peer'] {
    const host = this.#parts.findLast((part) => part.host?.peer !== undefined)?.host;
    return host?.peer?.bind(host);
  }

  #hostWith<Name extends keyof PartHost>(name: Name): Required<Pick<PartHost, Name>> {
    const part = this.#parts.findLast(({ host }) => host?.[name] !== undefined);
    return part?.host as Required<Pick<PartHost, Name>>;
  }
}
