import type { SimulatedServer } from './simulated-server.js';
import type { Simulation } from './simulation.js';

/**
 * What must hold after every event of a history:
 * - Servers at the same offset of the same history have the same data.
 * - Within a history and a life of a server, its offset never goes back.
 * - A replica has applied what it has acknowledged, though it may have begun again from an earlier snapshot since.
 * - The backlog is not much longer than its setting says.
 */
export class Invariants {
  readonly #simulation: Simulation;
  readonly #digests = new Map<string, { readonly digest: string; readonly port: number }>();
  readonly #seen = new Map<
    SimulatedServer,
    { readonly place: string; readonly id: string; readonly offset: number }
  >();

  /** The furthest offset that each server has reached in each history. */
  readonly #furthest = new Map<string, number>();

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  check(): void {
    for (const server of this.#simulation.servers) {
      if (!server.isRunning) continue;
      this.#noteOffset(server);
      this.#checkProgress(server);
      this.#checkAcknowledgements(server);
      this.#checkBacklog(server);
    }
  }

  #noteOffset({ port, historyId, offset }: SimulatedServer): void {
    const place = `${port}:${historyId}`;
    this.#furthest.set(place, Math.max(offset, this.#furthest.get(place) ?? 0));
  }

  #checkProgress(server: SimulatedServer): void {
    const { historyId: id, offset, life, replication } = server;
    const isLoading = replication.link?.state === 'sync';
    if (replication.stream.backlog === undefined || isLoading) {
      this.#seen.delete(server);
      return;
    }
    const place = `${id}:${offset}`;
    const seen = this.#seen.get(server);
    if (seen?.place === `${life}:${place}`) return;
    if (seen?.place.startsWith(`${life}:`) === true && seen.id === id && offset < seen.offset) {
      this.#fail(`the offset of ${server.port} went back from ${seen.offset} to ${offset}`);
    }
    this.#seen.set(server, { place: `${life}:${place}`, id, offset });
    const { digest } = server;
    const known = this.#digests.get(place);
    if (known === undefined) this.#digests.set(place, { digest, port: server.port });
    else if (known.digest !== digest) {
      this.#fail(`at ${place} the data of ${server.port} differ from those that ${known.port} had`);
    }
  }

  #checkAcknowledgements(master: SimulatedServer): void {
    for (const { port, acknowledged, state } of master.replication.replicas) {
      const replica = this.#simulation.servers.find((server) => server.port === port);
      if (state !== 'online' || replica === undefined || replica.historyId !== master.historyId) continue;
      const applied = Math.max(replica.offset, this.#furthest.get(`${port}:${master.historyId}`) ?? 0);
      if (acknowledged > applied && replica.life === 1) {
        this.#fail(`${port} has acknowledged ${acknowledged}, but applied only ${applied}`);
      }
    }
  }

  #checkBacklog({ port, replication, engine }: SimulatedServer): void {
    const { backlog } = replication.stream;
    if (backlog === undefined) return;
    const size = engine.settings.number('repl-backlog-size');
    // Connections of the simulation take everything at once: no replica keeps the backlog longer.
    const isFree = [...replication.replicas].every(({ state }) => state === 'online');
    if (isFree && backlog.end - backlog.start > size + MAX_EXCESS) {
      this.#fail(`the backlog of ${port} has ${backlog.end - backlog.start} bytes`);
    }
  }

  #fail(reason: string): never {
    throw new Error(`${reason}\n${this.#simulation.report()}`);
  }
}

/** A block, and a command. */
const MAX_EXCESS = 20_000;
