import type { Socket } from 'node:net';
import { wideBuffer } from '../bytes/wide-buffer.js';
import { SettingError } from '../commands/config/kinds.js';
import { OutputLimits } from '../commands/config/output-limits.js';
import type { FollowSetting } from '../commands/config/settings.js';
import type { LogLevel } from '../commands/host-port.js';
import type { Session } from '../commands/session.js';
import { Engine } from '../engine/engine.js';
import type { EnginePart, PartHost } from '../engine/engine-parts.js';
import type { Persistence } from '../persistence/persistence.js';
import { Replication } from '../replication/replication.js';
import { socketWorld } from '../replication/socket-world.js';
import type { World } from '../replication/world.js';
import type { ParserLimits } from '../resp/request-parser.js';
import { RespWriter } from '../resp/resp-writer.js';
import type { ClusterService } from './cluster/cluster-service.js';
import { readFile, replaceFile, rewriteConfigurationFile } from './configuration/rewrite.js';
import { BusyAcceptor } from './connections/busy-acceptor.js';
import { ClientMemory } from './connections/client-memory.js';
import { Connection, type ConnectionHost } from './connections/connection.js';
import { DeferredReplies } from './connections/deferred-replies.js';
import { ListenError, Listening } from './connections/listening.js';
import { LookAhead } from './connections/look-ahead.js';
import { OthersFirst } from './connections/others-first.js';
import { Peers } from './connections/peers.js';
import { acceptStream } from './connections/stream-client.js';
import { DebugCopies } from './debugging/debug-copies.js';
import { Log } from './process/log.js';
import { machineFigures } from './process/machine.js';
import { type ReplicationShare, shareReplication } from './shared-replication.js';
import { Shutdown } from './shutdown.js';
import { TlsService } from './tls/tls-service.js';

/**
 * An engine behind sockets. The owner of an engine also represents the process, and closes the engine when it closes.
 * A guest (`listen` of an embedded store) only accepts clients.
 */
export class Server implements ConnectionHost, EnginePart {
  readonly engine: Engine;
  readonly input: Buffer = wideBuffer(INPUT_BYTES);
  readonly writer = new RespWriter();
  readonly limits: ParserLimits = { maxBulkLength: 0 };
  readonly lookAhead = new LookAhead();
  readonly outputLimits: OutputLimits;
  readonly connections = new Set<Connection>();
  readonly clients: ClientMemory;
  readonly debugCopies: DebugCopies;
  /** Only in a process of its own: in a program, its other work could delay them. */
  readonly deferred: DeferredReplies | undefined;
  maxQueryBytes = 0;
  /** Keeps the data in files, if configured. */
  files: Persistence | undefined;
  /** Called after SHUTDOWN has closed everything. */
  onShutdown: () => void = () => {};
  readonly host: PartHost;
  readonly facts = {
    migrate_cached_sockets: () => this.#peers.size,
    shutdown_in_milliseconds: () => this.shutdown.remainingMs ?? -1,
  };
  readonly shutdown = new Shutdown(this);
  readonly tls: TlsService;
  readonly listening: Listening;
  /** Undefined if the engine had its own before this server. */
  readonly ownReplication: Replication | undefined;
  /** Present in cluster mode. */
  clusterService: ClusterService | undefined;
  readonly #share: ReplicationShare | undefined;
  readonly #log: Log;
  readonly #isOwner: boolean;
  /** Functions that remove everything this server attached to the engine and its settings. */
  readonly #detachments: (() => void)[] = [];
  /** Connections with queued output. */
  readonly #unsent = new Set<Connection>();
  readonly #othersFirst: OthersFirst;
  #isListening = false;
  #acceptor: BusyAcceptor | undefined;
  readonly #peers = new Peers(() => this.tls.peerOptions);
  /** Buffers for `serveDuringScript`. */
  #busy: { readonly input: Buffer; readonly writer: RespWriter } | undefined;
  #nextReview = 0;
  #nextReviewed: Iterator<Connection, undefined> = this.connections.values();
  #ticksPerSecond = 0;

  /** `adaptWorld` changes the connections or the clock of replication, for tests. */
  constructor(
    engine: Engine = new Engine(),
    role: 'owner' | 'guest' = 'owner',
    adaptWorld: (world: World) => World = (world) => world,
  ) {
    this.engine = engine;
    this.#isOwner = role === 'owner';
    this.deferred = this.#isOwner ? new DeferredReplies(() => engine.replication.beforeReplies()) : undefined;
    this.#othersFirst = new OthersFirst(engine);
    this.host = this.#isOwner ? this.#processHost() : this.#guestHost();
    const follow: FollowSetting = (name, listener) => {
      this.#detachments.push(engine.settings.onChange(name, listener));
    };
    this.#log = new Log(follow);
    this.tls = new TlsService(this, role, follow, (message) => this.engine.host.log('warning', message));
    this.listening = new Listening(this, this.tls.acceptor);
    this.outputLimits = new OutputLimits(follow);
    this.clients = new ClientMemory(engine, this.connections, follow);
    this.debugCopies = new DebugCopies(engine);
    this.writer.mayHold = (size) => engine.execution.client?.sink.mayReply?.(size) ?? true;
    follow('proto-max-bulk-len', (text) => {
      this.limits.maxBulkLength = Number(text);
    });
    follow('client-query-buffer-limit', (text) => {
      this.maxQueryBytes = Number(text);
    });
    follow('hz', (text) => {
      this.#ticksPerSecond = Number(text);
    });
    // A server runs for a long time: its files may be replaced by another version meanwhile.
    engine.scripting.prepare();
    for (const name of ['port', 'tls-port', 'bind'] as const) follow(name, () => this.#listenAgain(name));
    this.#detachments.push(engine.attach(this));
    this.#share = shareReplication(
      engine,
      () => new Replication(engine, adaptWorld(this.#world()), { mayFollow: this.#isOwner }),
    );
    this.ownReplication = this.#share?.replication;
    if (this.#isOwner) engine.background.start();
  }

  #world(): World {
    return socketWorld(this.engine, () => this.tls.masterOptions);
  }

  /** The functions that commands can use in any process. */
  #guestHost(): PartHost {
    return {
      machine: machineFigures,
      readsOthersFirst: (session) => this.#readsOthersFirst(session),
    };
  }

  #readsOthersFirst(session: Session): boolean {
    const { sink } = session;
    if (!(sink instanceof Connection) || !this.connections.has(sink)) return false;
    if (this.connections.size > 1) return this.#othersFirst.waits(session);
    this.#othersFirst.drop(session);
    return false;
  }

  /** The functions that commands can use in a process of its own. */
  #processHost(): PartHost {
    return {
      ...this.#guestHost(),
      log: (level, message) => this.log(level, message),
      shutdown: (options, session) => this.shutdown.request(options, session),
      abortShutdown: () => this.shutdown.abort(),
      crash: (reason) => this.crash(reason),
      rewriteSettings: () => this.#rewriteSettings(),
      readText: readFile,
      replaceText: replaceFile,
      peer: (host, port, timeoutMs) => this.#peers.connect(host, port, timeoutMs, this.engine.keyspace.now),
    };
  }

  // ---- listening ----

  /** Opens the ports and the Unix socket of the settings. Throws a TlsError or a ListenError. */
  async listen(): Promise<void> {
    const { settings } = this.engine;
    this.tls.start();
    this.clusterService?.listen();
    this.#openPort('port');
    this.#openPort('tls-port');
    this.#isListening = true;
    const path = settings.text('unixsocket');
    if (path !== '') await this.listening.openPath(path, settings.text('unixsocketperm'));
  }

  #openPort(setting: 'port' | 'tls-port'): void {
    const { settings } = this.engine;
    const port = settings.number(setting);
    const place = [settings.text('bind'), port, settings.number('tcp-backlog')] as const;
    if (setting === 'port') {
      this.listening.openPort(...place);
      return;
    }
    if (port !== 0) this.tls.prepare();
    this.listening.openTlsPort(...place);
  }

  #listenAgain(setting: 'port' | 'tls-port' | 'bind'): void {
    if (!this.#isListening) return;
    try {
      if (setting !== 'bind') this.#openPort(setting);
      else for (const each of ['port', 'tls-port'] as const) this.#openPort(each);
    } catch (error) {
      if (!(error instanceof ListenError)) throw error;
      this.log('warning', `Warning: Could not create server TCP listening socket ${error.message}`);
      throw new SettingError(
        setting === 'bind'
          ? 'Failed to bind to specified addresses.'
          : 'Unable to listen on this port. Check server logs.',
      );
    }
  }

  // ---- connections ----

  /** Makes a client of a connection within the process. */
  accept(socket: Socket): void {
    acceptStream(this, socket);
  }

  get handshakes(): number {
    return this.tls.acceptor.pending;
  }

  opened(connection: Connection): void {
    this.connections.add(connection);
  }

  closed(connection: Connection): void {
    this.connections.delete(connection);
    this.#othersFirst.drop(connection.session);
    this.#unsent.delete(connection);
  }

  sendLater(connection: Connection): void {
    if (this.#unsent.size === 0) queueMicrotask(() => this.#sendAll());
    this.#unsent.add(connection);
  }

  sendToOthers(connection: Connection): void {
    if (this.#unsent.size === 0) return;
    for (const other of [...this.#unsent]) {
      if (other === connection) continue;
      this.#unsent.delete(other);
      other.output.flush();
    }
  }

  repliesReleased(): void {
    this.#sendAll();
  }

  repliesLost(reason: string): void {
    for (const connection of [...this.connections]) {
      if (connection.output.isHeld) connection.dropFor(`the append-only file cannot be written: ${reason}`);
    }
  }

  #sendAll(): void {
    if (this.engine.holdsReplies) return;
    const unsent = [...this.#unsent];
    this.#unsent.clear();
    for (const { output } of unsent) output.flush();
  }

  /** Called during a slow script: other clients get BUSY, or may end the script. */
  serveDuringScript(): void {
    this.#busy ??= { input: wideBuffer(INPUT_BYTES), writer: new RespWriter(1 << 12) };
    const { input, writer } = this.#busy;
    this.deferred?.send();
    this.#acceptDuringScript();
    this.tls.acceptor.serveDuringScript();
    for (const connection of [...this.connections]) connection.serveDuringScript(input, writer);
  }

  #acceptDuringScript(): void {
    const listening = this.listening.descriptors();
    if (this.#acceptor?.listensOn(listening) !== true) {
      this.#acceptor = new BusyAcceptor(this, this.tls.acceptor, listening);
    }
    this.#acceptor.accept();
  }

  slowScriptEnded(): void {
    this.#acceptor?.rest();
  }

  tick(): void {
    this.#reviewBufferSizes();
    this.#review();
    this.shutdown.review();
  }

  /** At each tick some clients, so that it is the turn of each at least once a second. */
  #reviewBufferSizes(): void {
    const { now } = this.engine.keyspace;
    const count = Math.max(MIN_REVIEWED, Math.ceil(this.connections.size / this.#ticksPerSecond));
    for (let i = 0; i < count; i++) {
      const { value: connection, done } = this.#nextReviewed.next();
      if (done === true) {
        this.#nextReviewed = this.connections.values();
        return;
      }
      connection.reviewBufferSizes(now);
    }
  }

  /** Once a second: drops clients that are too slow, and idle ones (`timeout`). */
  #review(): void {
    const { now } = this.engine.keyspace;
    if (now < this.#nextReview) return;
    this.#nextReview = now + 1000;
    const idleMs = this.engine.settings.number('timeout') * 1000;
    for (const connection of [...this.connections]) connection.review(now, idleMs);
    this.tls.acceptor.review(now);
    this.clients.evict();
    this.#peers.review(now);
  }

  // ---- process functions for commands ----

  get clientMemory(): number {
    return this.clients.total;
  }

  /** The letter in the lines of the log. */
  set logRole(role: string) {
    this.#log.role = role;
  }

  log(level: LogLevel, message: string): void {
    this.#log.write(level, message);
  }

  crash(reason: string): void {
    // Programs that watch the log of a Redis server look for these words; 6 is SIGABRT.
    this.log('warning', `${reason}; crashed by signal: 6`);
    process.abort();
  }

  #rewriteSettings(): void {
    rewriteConfigurationFile(this.engine.settings, this.engine.users.describe());
    this.log('notice', 'CONFIG REWRITE executed with success.');
  }

  /** Stops accepting, closes all connections, removes the socket file; an owner closes the engine. */
  async close(): Promise<void> {
    this.#isListening = false;
    // First of all: a client that sees its connection end can no longer connect.
    const listening = this.listening.close();
    await this.clusterService?.close();
    this.#share?.leave();
    for (const connection of [...this.connections]) connection.close('now');
    this.tls.acceptor.close();
    this.debugCopies.close();
    this.#peers.close();
    await listening;
    if (this.#isOwner) {
      await this.files?.close();
      this.engine.close();
    }
    for (const detach of this.#detachments.splice(0)) detach();
  }
}

const INPUT_BYTES = 1 << 16;
/** As many clients are reviewed at each tick, or more. */
const MIN_REVIEWED = 5;
