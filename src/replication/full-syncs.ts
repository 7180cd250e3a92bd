import type { Engine } from '../engine/engine.js';
import type { Persistence } from '../persistence/persistence.js';
import { rdbFormat } from '../persistence/rdb-options.js';
import { ChunkSink } from '../persistence/snapshot/chunk-sink.js';
import { SnapshotJob } from '../persistence/snapshot/snapshot-job.js';
import type { Replica } from './replica.js';
import { ReplicasOutput } from './replicas-output.js';
import { MemoryOutput, openSnapshotFile, type StoredSnapshot, sendStored } from './stored-snapshot.js';
import type { ReplicationStream } from './stream.js';
import { randomId, type World } from './world.js';

/** What full synchronisations need from the master. */
export interface FullSyncHost {
  readonly engine: Engine;
  readonly world: World;
  readonly stream: ReplicationStream;
  /** The engine's files, if it has any. */
  readonly files: Persistence | undefined;
  /** `repl-stream-db`, `repl-id`, `repl-offset`: fields of the snapshot. */
  fields(): readonly (readonly [string, string])[];
  /** Closes the connection of a replica that cannot be served. */
  disconnect(replica: Replica): void;
}

/** Replicas that receive the same snapshot. */
interface Group {
  readonly replicas: Set<Replica>;
  /** The offset of the stream at which the snapshot was taken. */
  readonly offset: number;
  /** Other replicas may join while the snapshot is being stored. */
  readonly isStored: boolean;
  readonly output: ReplicasOutput | undefined;
  job: SnapshotJob | undefined;
}

/**
 * Full synchronisations: replicas that arrive within `repl-diskless-sync-delay` share one snapshot, which is sent while it is
 * taken. With `repl-diskless-sync no`, or to replicas that need the length first, it is stored before it is sent.
 */
export class FullSyncs {
  /** How many snapshots were begun for replicas. */
  count = 0;
  readonly #host: FullSyncHost;
  readonly #waiting = new Map<Replica, number>();
  #group: Group | undefined;

  constructor(host: FullSyncHost) {
    this.#host = host;
  }

  request(replica: Replica): void {
    if (replica.traits.parts !== undefined) {
      this.#sendFiltered(replica, replica.traits.parts);
      return;
    }
    const group = this.#group;
    if (group !== undefined && this.#canJoin(group)) {
      this.#log('Waiting for end of BGSAVE for SYNC');
      this.#join(group, replica);
      return;
    }
    this.#waiting.set(replica, this.#now());
    const { settings } = this.#host.engine;
    const isDelayed = settings.isOn('repl-diskless-sync') && replica.traits.readsUnknownLength;
    if (isDelayed && settings.number('repl-diskless-sync-delay') > 0) {
      this.#log('Delay next BGSAVE for diskless SYNC');
    } else this.review();
  }

  /** Begins a snapshot if one is due. Called every second. */
  review(): void {
    if (this.#waiting.size === 0 || this.#group !== undefined) return;
    const replicas = [...this.#waiting.keys()];
    const { settings, keyspace } = this.#host.engine;
    const isDiskless =
      settings.isOn('repl-diskless-sync') && replicas.every(({ traits }) => traits.readsUnknownLength);
    const waitedMs = this.#now() - Math.min(...this.#waiting.values());
    const enough = settings.number('repl-diskless-sync-max-replicas');
    const isDue =
      !isDiskless ||
      waitedMs >= settings.number('repl-diskless-sync-delay') * 1000 ||
      (enough > 0 && replicas.length >= enough);
    // Another snapshot is running.
    if (!isDue || keyspace.changeGuard !== undefined) return;
    this.#waiting.clear();
    this.count++;
    if (isDiskless) this.#sendWhileTaken(replicas);
    else this.#store(replicas);
  }

  /** The replica is gone. */
  drop(replica: Replica): void {
    this.#waiting.delete(replica);
    const group = this.#group;
    if (group === undefined || !group.replicas.delete(replica)) return;
    // In Redis's words, which tools look for: there is no child, and no pipe.
    if (group.output !== undefined && group.replicas.size === 0) {
      this.#log('Diskless rdb transfer, last replica dropped, killing fork child.');
    }
    group.output?.drop(replica);
    // A file that was only meant for replicas is not needed any more.
    const { files } = this.#host;
    if (group.isStored && group.replicas.size === 0 && files?.rdb.hasRules === false) void files.rdb.abort();
  }

  /** Whether a snapshot for replicas is being stored, or sent. */
  get isTakingSnapshot(): boolean {
    return this.#group !== undefined;
  }

  /** The data that is being sent is gone: the replicas connect again, and get the new data. */
  abortSent(): void {
    const group = this.#group;
    if (group?.output !== undefined) group.job?.abort(new Error('the data was flushed'));
  }

  abort(): void {
    this.#waiting.clear();
    this.#group?.job?.abort(new Error('aborted'));
    this.#group?.job?.clearAway();
    this.#group = undefined;
  }

  // ---- sent while it is taken ----

  #sendWhileTaken(replicas: readonly Replica[]): void {
    const { world } = this.#host;
    this.#log('Starting BGSAVE for SYNC with target: replicas sockets');
    const offset = this.#begin(replicas);
    const output = new ReplicasOutput(replicas, randomId(world.random), () => this.#now());
    const group: Group = { replicas: new Set(replicas), offset, isStored: false, output, job: undefined };
    this.#group = group;
    group.job = this.#take(output);
    group.job.finished.then(
      () => this.#sent(group),
      (error: Error) => this.#failed(group, error),
    );
    this.#log(`Background RDB transfer started by pid ${process.pid}`);
  }

  #sent(group: Group): void {
    this.#group = undefined;
    this.#log(`Diskless rdb transfer, done reading from pipe, ${group.replicas.size} replicas still up.`);
    this.#log('Background RDB transfer terminated with success');
    for (const replica of group.replicas) this.#online(replica, !replica.isOld);
    this.review();
  }

  // ---- stored first ----

  #store(replicas: readonly Replica[]): void {
    const { files } = this.#host;
    this.#log(`Starting BGSAVE for SYNC with target: ${files === undefined ? 'memory' : 'disk'}`);
    const offset = this.#begin(replicas);
    const group: Group = {
      replicas: new Set(replicas),
      offset,
      isStored: true,
      output: undefined,
      job: undefined,
    };
    this.#group = group;
    let open: () => StoredSnapshot;
    if (files === undefined) {
      const output = new MemoryOutput();
      group.job = this.#take(output);
      open = () => output.open();
    } else {
      files.rdb.start();
      group.job = files.rdb.job as SnapshotJob;
      open = () => openSnapshotFile(files.rdb.path);
    }
    group.job.finished.then(
      () => this.#stored(group, open),
      (error: Error) => this.#failed(group, error),
    );
  }

  /** Not if the others have left: what was changed since the snapshot may be gone from the backlog. */
  #canJoin({ isStored, job, offset }: Group): boolean {
    const { backlog } = this.#host.stream;
    return isStored && job?.isActive === true && backlog !== undefined && offset >= backlog.start;
  }

  /** A replica that arrives while the snapshot is being stored: it gets the changes since then, as the others do. */
  #join(group: Group, replica: Replica): void {
    group.replicas.add(replica);
    this.#announce(replica, group.offset);
  }

  #stored(group: Group, open: () => StoredSnapshot): void {
    this.#group = undefined;
    // Files that are open for sending stay readable after this.
    const snapshots = new Map<Replica, StoredSnapshot>();
    try {
      for (const replica of group.replicas) snapshots.set(replica, open());
    } catch (error) {
      this.#failed(group, error as Error);
      return;
    }
    this.#host.files?.removeSyncFile();
    for (const [replica, snapshot] of snapshots) {
      replica.isSentFile = true;
      sendStored(
        replica,
        snapshot,
        () => this.#now(),
        () => this.#online(replica, false),
      );
    }
    this.review();
  }

  // ---- both ----

  /** Announces the snapshot to the replicas. The changes after it are kept for them. */
  #begin(replicas: readonly Replica[]): number {
    const { stream } = this.#host;
    // The replicas do not know which database the changes before were for.
    stream.reselect();
    for (const replica of replicas) this.#announce(replica, stream.history.offset);
    return stream.history.offset;
  }

  #announce(replica: Replica, offset: number): void {
    const { stream } = this.#host;
    replica.state = 'receiving';
    replica.progressAt = this.#now();
    replica.acknowledged = 0;
    if (!replica.traits.snapshotOnly) replica.reader = stream.backlog?.reader(offset);
    if (replica.isOld) return;
    replica.session.sink.send(Buffer.from(`+FULLRESYNC ${stream.history.id} ${offset}\r\n`));
  }

  #take(output: MemoryOutput | ReplicasOutput): SnapshotJob {
    const { engine, world } = this.#host;
    const format = rdbFormat(engine, { replication: this.#host.fields() });
    const { keyspace, settings } = engine;
    const { timers } = world;
    const host = { keyspace, timers, settings, sliceEnd: (ms: number) => world.sliceEnd(ms) };
    const process = this.#host.files?.startProcess();
    return new SnapshotJob(host, format, output, settings.isOn('rdbchecksum'), process);
  }

  #failed(group: Group, error: Error): void {
    if (this.#group === group) this.#group = undefined;
    group.job?.clearAway();
    this.#host.engine.host.log('warning', `SYNC failed. The snapshot could not be sent: ${error.message}`);
    for (const replica of group.replicas) this.#host.disconnect(replica);
    this.review();
  }

  #online(replica: Replica, startsOnAcknowledgement: boolean): void {
    if (replica.session.closing) return;
    replica.state = 'online';
    replica.acknowledgedAt = this.#now();
    if (replica.traits.snapshotOnly) {
      replica.session.sink.close('flushed');
      return;
    }
    replica.startsOnAcknowledgement = startsOnAcknowledgement;
    this.#log(`Synchronization with replica ${replica.name} succeeded`);
    replica.pump();
  }

  /** A snapshot without data, and with or without functions: redis-cli --functions-rdb asks for that. */
  #sendFiltered(replica: Replica, parts: readonly string[]): void {
    const { engine, world, stream } = this.#host;
    this.#announce(replica, stream.history.offset);
    const format = rdbFormat(engine, {
      replication: this.#host.fields(),
      ...(parts.includes('functions') ? {} : { functions: [] }),
    });
    const mark = randomId(world.random);
    const { sink } = replica.session;
    replica.hasSnapshotBegun = true;
    sink.send(Buffer.from(`$EOF:${mark}\r\n`));
    const chunks = new ChunkSink(engine.settings.isOn('rdbchecksum'), (chunk) => sink.send(chunk));
    format.begin(chunks, []);
    format.end(chunks, () => chunks.checksum());
    chunks.flush();
    sink.send(Buffer.from(mark));
    this.#online(replica, true);
  }

  #now(): number {
    return this.#host.world.clock.now();
  }

  #log(message: string): void {
    this.#host.engine.host.log('notice', message);
  }
}
