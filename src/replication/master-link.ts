import { CommandError } from '../commands/errors.js';
import type { OutputSink } from '../commands/session.js';
import { ArrivingSnapshot, type Flow } from './arriving-snapshot.js';
import { encodeWords, Handshake, parseSyncReply } from './handshake.js';
import { type Inbox, inboxFor, type ReceivedSnapshot } from './inbox.js';
import { type LinkHost, type LinkState, TIMEOUTS } from './link-host.js';
import { MasterStream } from './master-stream.js';
import { loadReceived } from './replica-loading.js';
import { parseAnnouncement, Transfer } from './transfer.js';
import type { Address, Link } from './world.js';

/**
 * A replica's connection to its master. It connects again whenever the connection is lost, and then continues where it
 * was, if the master still has what came after; otherwise it receives all data again.
 */
export class MasterLink {
  state: LinkState = 'connect';
  readonly address: Address;
  /** When the master last sent something, and since when the link is down (0 if it was never up); Unix ms. */
  lastIoAt = 0;
  downSince = 0;
  transfer: Transfer | undefined;
  /** Ask the server there to take over as master: `FAILOVER` of its former master. */
  requestsFailover = false;
  /** Called with the reply to such a request. */
  onFailoverReply: ((isAccepted: boolean) => void) | undefined;
  readonly #host: LinkHost;
  /** The database of the stream's next command; undefined if our data is not part of a history that can be continued. */
  #resumeDb: number | undefined;
  #link: Link | undefined;
  #stream: MasterStream | undefined;
  /** What precedes PSYNC; undefined when that is sent. */
  #handshake: Handshake | undefined;
  #line = '';
  #inbox: Inbox | undefined;
  #isLoading = false;
  /** When the last attempt to connect began. */
  #openedAt = 0;
  /** Closed, and not to be opened again. */
  #isClosed = false;
  /** Bytes of the stream that wait until the snapshot before them is loaded, or a slow script has ended. */
  #held: Buffer[] | undefined;
  #wanted = { id: '', offset: 0 };

  constructor(host: LinkHost, address: Address, resumeDb: number | undefined) {
    this.#host = host;
    this.address = address;
    this.#resumeDb = resumeDb;
  }

  get isUp(): boolean {
    return this.state === 'connected';
  }

  /** The stream's offset that was read, which may be in the middle of a transaction. */
  get readOffset(): number {
    return this.#stream?.read ?? this.#host.stream.history.offset;
  }

  /** The database of the stream's next command; undefined if the history cannot be continued. */
  get resumeDb(): number | undefined {
    return this.#stream?.session.db.index ?? this.#resumeDb;
  }

  // ---- the connection ----

  /** Connects, if it is not connected. */
  open(): void {
    if (this.#link !== undefined || this.#isLoading || this.#isClosed) return;
    const { world } = this.#host;
    this.lastIoAt = this.#openedAt = world.clock.now();
    this.#enter('connecting');
    this.#link = world.connect(this.address, {
      connected: () => this.#introduce(),
      received: (chunk) => this.#received(chunk),
      closed: (reason) => this.#lost(reason),
    });
  }

  /** Ends the connection for good. */
  close(): void {
    this.#isClosed = true;
    this.#disconnect();
    this.state = 'connect';
  }

  #disconnect(): void {
    this.#resumeDb = this.resumeDb;
    const stream = this.#stream;
    this.#stream = undefined;
    stream?.close();
    this.#link?.close();
    this.#link = undefined;
    this.#inbox?.discard();
    this.#inbox = undefined;
    this.transfer = undefined;
    if (!this.#isLoading) this.#endLoading();
    this.#held = undefined;
    this.#line = '';
    this.#handshake = undefined;
  }

  /** Connects again without waiting for the next tick, as Redis does after a failed transfer, unless this attempt has just begun. */
  #reopen(): void {
    if (this.#host.world.clock.now() - this.#openedAt >= MIN_ATTEMPT_MS) this.open();
  }

  /** The connection has ended. If it was up, it is opened again at once: the master's backlog may soon be too short. */
  #lost(reason: string): void {
    const state = this.#leave(reason);
    if (state === 'connected') this.open();
    else if (state === 'sync') this.#reopen();
  }

  /** Something is wrong with the master. If that shows at each attempt, there must not be many of them. */
  #fail(reason: string): void {
    this.#link?.close();
    const state = this.#leave(reason);
    if (state === 'connected' || state === 'sync') this.#reopen();
  }

  /** Disconnects. Returns the state until now. */
  #leave(reason: string): LinkState {
    const { state } = this;
    this.#disconnect();
    if (state === 'connected') {
      this.downSince = this.#host.world.clock.now();
      this.#log('notice', `Connection with master lost: ${reason}. Reconnecting to MASTER ${this.#name}`);
    } else this.#log('warning', `Synchronization with MASTER ${this.#name} failed: ${reason}`);
    this.#enter('connect');
    return state;
  }

  /** Called every second. */
  tick(): void {
    const { world, engine } = this.#host;
    const silentMs = world.clock.now() - this.lastIoAt;
    if (this.state === 'connect') this.open();
    else if (silentMs > engine.settings.number('repl-timeout') * 1000 && this.#isExpecting) {
      this.#log('warning', TIMEOUTS[this.state]);
      this.#fail('the master has sent nothing for repl-timeout seconds');
    } else if (this.#isLoading) this.#link?.send(NEWLINE);
    else if (this.isUp) this.acknowledge();
  }

  /** Whether it is the master's turn to send something. */
  get #isExpecting(): boolean {
    return !this.#isLoading || (this.#inbox instanceof ArrivingSnapshot && !this.#inbox.isPaused);
  }

  acknowledge(): void {
    if (this.#stream === undefined) return;
    this.#link?.send(encodeWords('REPLCONF', 'ACK', String(this.#stream.applied)));
  }

  // ---- the handshake ----

  #introduce(): void {
    this.#enter('handshake');
    this.#log('notice', `Connected to MASTER ${this.#name}`);
    const { engine, listeningPort } = this.#host;
    this.#handshake = new Handshake(engine.settings, listeningPort, (text) => this.#log('notice', text));
    this.#link?.send(this.#handshake.ping);
  }

  #received(chunk: Buffer): void {
    this.lastIoAt = this.#host.world.clock.now();
    const link = this.#link;
    let rest = chunk;
    // If something is wrong with it, the rest is not for the connection that is opened then.
    while (rest.length > 0 && this.#link === link) {
      if (this.#held !== undefined) {
        this.#held.push(Buffer.from(rest));
        return;
      }
      if (this.#stream !== undefined) {
        this.#checkStream(this.#stream.receive(rest));
        return;
      }
      rest = this.transfer === undefined ? this.#takeLine(rest) : this.#takeSnapshot(this.transfer, rest);
    }
  }

  #takeLine(chunk: Buffer): Buffer {
    const newline = chunk.indexOf(LF);
    this.#line += chunk.latin1Slice(0, newline < 0 ? chunk.length : newline);
    if (this.#line.length > MAX_LINE) {
      this.#fail('a reply of the master is too long');
      return EMPTY;
    }
    if (newline < 0) return EMPTY;
    const line = this.#line.replace(/\r$/, '');
    this.#line = '';
    // An empty line shows that the master is alive.
    if (line !== '') this.#takeReply(line);
    return chunk.subarray(newline + 1);
  }

  #takeReply(line: string): void {
    if (this.state === 'sync') {
      this.#beginTransfer(line);
      return;
    }
    if (this.#handshake === undefined) {
      this.#takeSyncReply(line);
      return;
    }
    const step = this.#handshake.take(line);
    if (step.kind === 'failed') this.#fail(step.reason);
    else if (step.kind === 'send') this.#link?.send(step.bytes);
    else if (step.kind === 'done') this.#requestData();
  }

  #requestData(): void {
    const { stream } = this.#host;
    this.#handshake = undefined;
    const { id, offset } = stream.history;
    const isContinued = this.#resumeDb !== undefined;
    const request = isContinued ? [id, String(offset + 1)] : ['?', '-1'];
    this.#log(
      'notice',
      isContinued
        ? `Trying a partial resynchronization (request ${id}:${offset + 1}).`
        : 'Partial resynchronization not possible (no cached master)',
    );
    if (this.requestsFailover) request.push('FAILOVER');
    this.#link?.send(encodeWords('PSYNC', ...request));
  }

  #takeSyncReply(line: string): void {
    const reply = parseSyncReply(line);
    if (this.requestsFailover) {
      this.requestsFailover = false;
      this.onFailoverReply?.(reply.kind !== 'refused');
      if (this.#link === undefined) return;
    }
    switch (reply.kind) {
      case 'full':
        this.#log('notice', `Full resync from master: ${reply.id}:${reply.offset}`);
        this.#wanted = { id: reply.id, offset: reply.offset };
        this.#enter('sync');
        return;
      case 'continue':
        this.#continue(reply.id);
        return;
      case 'refused':
        this.#fail(`the reply to PSYNC is '${line}'`);
    }
  }

  #continue(id: string | undefined): void {
    const { history } = this.#host.stream;
    const isRenamed = id !== undefined && id !== history.id;
    this.#log('notice', 'Successful partial resynchronization with master.');
    if (isRenamed) {
      this.#log('notice', `Master replication ID changed to ${id}`);
      history.rename(id);
    }
    this.#follow(this.#resumeDb ?? 0, isRenamed);
  }

  /** From now on the master's stream is executed. */
  #follow(db: number, isRenamed: boolean): void {
    const { engine, stream } = this.#host;
    stream.open();
    const sink: OutputSink = {
      send() {},
      pending: 0,
      resume: () => this.#checkStream(masterStream.resume()),
      close: () => this.#fail('the connection was killed'),
    };
    const masterStream = new MasterStream(engine, stream, sink, db);
    const { host, port } = this.address;
    masterStream.session.address = `${host}:${port}`;
    masterStream.session.localAddress = this.#link?.localAddress ?? '';
    this.#stream = masterStream;
    if (engine.scripting.busyError !== undefined) this.#held = [];
    this.downSince = 0;
    this.#enter('connected');
    this.#host.connected(isRenamed);
  }

  #checkStream(problem: string | undefined): void {
    if (problem === undefined) return;
    this.#fail(`the master's stream violates the protocol: ${problem}`);
    // What was applied may be wrong as well.
    this.#resumeDb = undefined;
  }

  // ---- the snapshot ----

  #beginTransfer(line: string): void {
    const announcement = parseAnnouncement(line);
    if (announcement === undefined) {
      this.#fail(`a snapshot was expected, not '${line}'`);
      return;
    }
    const length = announcement.kind === 'mark' ? 'streamed RDB' : `${announcement.length} bytes`;
    const inbox = inboxFor(this.#host, this.#flow());
    this.#inbox = inbox;
    this.transfer = new Transfer(announcement, inbox);
    this.#log('notice', `MASTER <-> REPLICA sync: receiving ${length} from master`);
    if (inbox instanceof ArrivingSnapshot) void this.#load(inbox, async () => inbox);
  }

  /** For a snapshot that is loaded while it is received. */
  #flow(): Flow {
    const link = this.#link;
    return {
      pause: () => link?.pause(),
      resume: () => {
        this.lastIoAt = this.#host.world.clock.now();
        link?.resume();
      },
    };
  }

  #takeSnapshot(transfer: Transfer, chunk: Buffer): Buffer {
    try {
      const taken = transfer.take(chunk);
      if (transfer.isComplete && this.#inbox !== undefined) this.#snapshotReceived(this.#inbox);
      return chunk.subarray(taken);
    } catch (error) {
      this.#fail((error as Error).message);
      return EMPTY;
    }
  }

  #endLoading(): void {
    const { engine } = this.#host;
    engine.loading.release(this);
    engine.asyncLoading.release(this);
  }

  #snapshotReceived(inbox: Inbox): void {
    this.#inbox = undefined;
    this.#held = [];
    if (inbox instanceof ArrivingSnapshot) void inbox.finish();
    else void this.#load(inbox, () => inbox.finish());
  }

  /**
   * Replaces our data by the snapshot, and continues with the stream behind it. If the connection is lost when all of it is received, the
   * loading goes on: half of the data would be useless, and all of it is a place to continue from.
   */
  async #load(inbox: Inbox, finish: () => Promise<ReceivedSnapshot>): Promise<void> {
    const { engine, files, stream } = this.#host;
    const link = this.#link;
    const isAcknowledged = (this.transfer?.size ?? 0) < 0;
    this.#isLoading = true;
    const isAside = engine.settings.text('repl-diskless-load') === 'swapdb';
    try {
      await files?.rdb.abort();
      const snapshot = await finish();
      if (this.#isClosed) {
        snapshot.close();
        return;
      }
      // Not before: a small snapshot is loaded in one go, and no client sees that. Clients can read the old data meanwhile if it is kept, and
      // is of the same history as the new data.
      const isAsync = isAside && stream.history.id === this.#wanted.id;
      (isAsync ? engine.asyncLoading : engine.loading).hold(this);
      this.#log('notice', 'MASTER <-> REPLICA sync: Loading DB in memory');
      const fields = await loadReceived(engine, this.#host.world, snapshot, isAside, {
        isWanted: () => !this.#isClosed,
        // Until now, the old data could have been continued.
        replacing: () => {
          files?.aof.suspend();
          this.#resumeDb = undefined;
          this.#host.dataIsReplaced();
        },
      });
      if (fields === undefined) return;
      stream.history.adopt(this.#wanted.id, this.#wanted.offset);
      // The stream of a replica goes on in the middle: it does not begin with SELECT.
      this.#resumeDb = Math.max(0, Number(fields.get('repl-stream-db') ?? 0));
      files?.removeSyncFile();
      files?.rdb.loaded();
      files?.aof.resume();
      if (inbox instanceof ArrivingSnapshot) await inbox.completed();
    } catch (error) {
      this.#isLoading = false;
      const reason = error instanceof CommandError ? error.text : (error as Error).message;
      if (inbox instanceof ArrivingSnapshot && inbox.isLost) {
        this.#log('warning', `Internal error in RDB reading offset ${inbox.position}: ${reason}`);
      } else if (!this.#isClosed) this.#fail(`the snapshot could not be loaded: ${reason}`);
      return;
    } finally {
      this.#isLoading = false;
      this.#endLoading();
      if (this.state === 'connect' && !this.#isClosed) this.#reopen();
    }
    if (this.#link !== link || link === undefined) return;
    this.#log('notice', 'MASTER <-> REPLICA sync: Finished with success');
    this.transfer = undefined;
    this.#follow(this.#resumeDb, false);
    if (isAcknowledged) this.acknowledge();
    this.#release();
  }

  /** Executes the bytes of the stream that had to wait. */
  #release(): void {
    const held: Buffer[] = this.#held ?? [];
    const link = this.#link;
    this.#held = undefined;
    for (const chunk of held) if (this.#link === link) this.#received(chunk);
  }

  // ---- during a slow script ----

  /**
   * Called repeatedly: the link is read, and opened again if it is lost, while the master still has what follows. What the master
   * sends is executed after the script; a snapshot is not received before.
   */
  serveDuringScript(): void {
    const stream = this.#stream;
    // The master has sent the script itself: its connection must stay.
    if (this.state === 'sync' || stream?.isApplying === true) return;
    if (stream !== undefined) this.#held ??= [];
    this.#link?.poll?.();
  }

  slowScriptEnded(): void {
    // It was not the master that was silent.
    this.lastIoAt = this.#host.world.clock.now();
    if (this.#stream !== undefined) this.#release();
  }

  // ---- details ----

  #enter(state: LinkState): void {
    this.state = state;
    this.#host.changed();
  }

  get #name(): string {
    return `${this.address.host}:${this.address.port}`;
  }

  #log(level: 'notice' | 'warning', message: string): void {
    this.#host.engine.host.log(level, message);
  }
}

const EMPTY = Buffer.alloc(0);
const NEWLINE = Buffer.from('\n');
const LF = 10;
const MAX_LINE = 1 << 16;
/** Attempts that fail sooner are repeated with the next tick. */
const MIN_ATTEMPT_MS = 100;
