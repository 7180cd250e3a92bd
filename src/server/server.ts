import { SettingError } from '../commands/config/kinds.js';
import type { HostPort, LogLevel, MachineFigures, Peer, ShutdownOptions } from '../commands/engine-port.js';
import { Engine } from '../engine/engine.js';
import type { Persistence } from '../persistence/persistence.js';
import type { ParserLimits } from '../resp/request-parser.js';
import { RespWriter } from '../resp/resp-writer.js';
import { BusyAcceptor } from './busy-acceptor.js';
import { ClientMemory } from './client-memory.js';
import type { Connection, ConnectionHost } from './connection.js';
import { ListenError, Listening } from './listening.js';
import { Log } from './log.js';
import { LookAhead } from './look-ahead.js';
import { machineFigures } from './machine.js';
import { OutputLimits } from './output-limits.js';
import { Peers } from './peers.js';
import { rewriteConfigurationFile } from './rewrite.js';

/** An engine behind sockets. */
export class Server implements ConnectionHost, HostPort {
  readonly engine: Engine;
  readonly input = Buffer.allocUnsafeSlow(INPUT_BYTES);
  readonly writer = new RespWriter();
  readonly limits: ParserLimits = { maxBulkLength: 0 };
  readonly lookAhead = new LookAhead();
  readonly outputLimits: OutputLimits;
  readonly connections = new Set<Connection>();
  readonly clients: ClientMemory;
  longestQuery = 0;
  /** Keeps the data in files, if it is to be kept. */
  persistence: Persistence | undefined;
  /** Called when SHUTDOWN has closed everything. */
  onShutdown: () => void = () => {};
  readonly #log: Log;
  readonly #listening = new Listening(this);
  /** Connections with queued output. */
  readonly #unsent = new Set<Connection>();
  #isListening = false;
  #acceptor: BusyAcceptor | undefined;
  readonly #peers = new Peers();
  /** Buffers for `serveDuringScript`. */
  #busy: { readonly input: Buffer; readonly writer: RespWriter } | undefined;
  #nextReview = 0;

  constructor(engine: Engine = new Engine()) {
    this.engine = engine;
    engine.host = this;
    engine.onRelease = () => this.#sendAll();
    const { settings } = engine;
    this.#log = new Log(settings);
    this.outputLimits = new OutputLimits(settings);
    this.clients = new ClientMemory(engine, this.connections);
    this.writer.mayHold = (size) => engine.execution.client?.sink.mayReply?.(size) ?? true;
    settings.onChange('proto-max-bulk-len', (text) => {
      this.limits.maxBulkLength = Number(text);
    });
    settings.onChange('client-query-buffer-limit', (text) => {
      this.longestQuery = Number(text);
    });
    // A server runs for long: its files may be replaced by those of another version meanwhile.
    engine.scripting.prepare();
    for (const name of ['port', 'bind']) settings.onChange(name, () => this.#listenAgain(name));
    engine.facts.set('migrate_cached_sockets', () => this.#peers.size);
    engine.background.everyTick(() => this.#review());
    engine.background.start();
  }

  // ---- listening ----

  /** Opens the ports and the socket that the settings name. */
  async listen(): Promise<void> {
    const { settings } = this.engine;
    this.#openPort();
    this.#isListening = true;
    const path = settings.text('unixsocket');
    if (path !== '') await this.#listening.openPath(path, settings.text('unixsocketperm'));
  }

  #openPort(): void {
    const { settings } = this.engine;
    this.#listening.openPort(settings.text('bind'), settings.number('port'), settings.number('tcp-backlog'));
  }

  #listenAgain(setting: string): void {
    if (!this.#isListening) return;
    try {
      this.#openPort();
    } catch (error) {
      if (!(error instanceof ListenError)) throw error;
      this.log('warning', `Warning: Could not create server TCP listening socket ${error.message}`);
      throw new SettingError(
        setting === 'port'
          ? 'Unable to listen on this port. Check server logs.'
          : 'Failed to bind to specified addresses.',
      );
    }
  }

  // ---- connections ----

  opened(connection: Connection): void {
    this.connections.add(connection);
  }

  closed(connection: Connection): void {
    this.connections.delete(connection);
    this.#unsent.delete(connection);
  }

  sendLater(connection: Connection): void {
    if (this.#unsent.size === 0) queueMicrotask(() => this.#sendAll());
    this.#unsent.add(connection);
  }

  #sendAll(): void {
    if (this.engine.holdsReplies) return;
    const unsent = [...this.#unsent];
    this.#unsent.clear();
    for (const connection of unsent) connection.flush();
  }

  /** A script takes too long: everybody else is told so, or may end it. */
  serveDuringScript(): void {
    // What others were answered before has waited long enough; nothing the script did is among it.
    if (this.engine.holdsReplies) this.persistence?.aof.flushTurn();
    this.#busy ??= { input: Buffer.allocUnsafeSlow(INPUT_BYTES), writer: new RespWriter(1 << 12) };
    const { input, writer } = this.#busy;
    this.#acceptDuringScript();
    for (const connection of [...this.connections]) connection.serveDuringScript(input, writer);
  }

  #acceptDuringScript(): void {
    const listening = this.#listening.descriptors();
    if (this.#acceptor?.listensOn(listening) !== true) this.#acceptor = new BusyAcceptor(this, listening);
    this.#acceptor.accept();
  }

  slowScriptEnded(): void {
    this.#acceptor?.rest();
  }

  /** Once a second: drops clients that are too slow, and idle ones (`timeout`). */
  #review(): void {
    const { now } = this.engine.keyspace;
    if (now < this.#nextReview) return;
    this.#nextReview = now + 1000;
    const idleMs = this.engine.settings.number('timeout') * 1000;
    for (const connection of [...this.connections]) connection.review(now, idleMs);
    this.clients.evict();
    this.#peers.review(now);
  }

  // ---- what commands ask of the process ----

  get clientMemory(): number {
    return this.clients.total;
  }

  log(level: LogLevel, message: string): void {
    this.#log.write(level, message);
  }

  machine(): MachineFigures {
    return machineFigures();
  }

  shutdown(options: ShutdownOptions): boolean {
    this.log('warning', 'User requested shutdown...');
    const isBusy = this.engine.scripting.busyError !== undefined;
    // A first append-only file is not completed while a script runs: to wait for that would be to wait for ever.
    const force = options.force || isBusy;
    if (this.persistence?.beforeExit({ ...options, force }) === false) return false;
    if (isBusy) {
      // Nothing else will happen until the script ends, and what it has half done must not be kept.
      this.onShutdown();
      this.engine.scripting.abandon();
    }
    void this.close().then(() => {
      this.log('warning', 'Sorrel is now ready to exit, bye bye...');
      this.onShutdown();
    });
    return true;
  }

  /** A shutdown here waits for nothing, so there is never one to abort. */
  abortShutdown(): boolean {
    return false;
  }

  crash(reason: string): void {
    // Whoever watches the log of a Redis looks for these words; 6 is what aborting comes to.
    this.log('warning', `${reason}; crashed by signal: 6`);
    process.abort();
  }

  rewriteSettings(): void {
    rewriteConfigurationFile(this.engine.settings);
    this.log('notice', 'CONFIG REWRITE executed with success.');
  }

  peer(host: string, port: number, timeoutMs: number): Peer | undefined {
    return this.#peers.connect(host, port, timeoutMs, this.engine.keyspace.now);
  }

  /** Stops accepting, closes every connection, frees the socket file. */
  async close(): Promise<void> {
    this.#isListening = false;
    for (const connection of [...this.connections]) connection.close('now');
    this.#peers.close();
    await this.#listening.close();
    await this.persistence?.close();
    this.engine.close();
  }
}

const INPUT_BYTES = 1 << 16;
