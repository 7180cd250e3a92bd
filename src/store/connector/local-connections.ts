import type { Engine } from '../../engine/engine.js';
import type { ParserLimits } from '../../resp/request-parser.js';
import { RespWriter } from '../../resp/resp-writer.js';
import { EngineConnection } from './engine-connection.js';
import type { Exchange, Line, Peer } from './line.js';

/**
 * The connections to one engine from within its process. Their turns run before the event loop continues, so a client that
 * awaits one reply after the other does not wait for the event loop each time. The number of turns in a row is limited:
 * otherwise such a client would block timers and sockets.
 */
export class LocalConnections implements Exchange {
  readonly engine: Engine;
  readonly writer = new RespWriter(1 << 12);
  readonly limits: ParserLimits = { maxBulkLength: 0 };
  readonly #connections = new Set<EngineConnection>();
  /** Connections with input to process. */
  #toWork: EngineConnection[] = [];
  /** Connections with output to deliver, or to be ended. */
  #toFlush: EngineConnection[] = [];
  #isScheduled = false;
  #turnsLeft = MAX_TURNS_IN_A_ROW;
  #isRefilling = false;
  #isClosed = false;
  /** Detach everything that was attached to the engine. */
  readonly #detachments: readonly (() => void)[];

  constructor(engine: Engine) {
    this.engine = engine;
    this.#detachments = [
      engine.settings.onChange('proto-max-bulk-len', (text) => {
        this.limits.maxBulkLength = Number(text);
      }),
      engine.attach({
        repliesReleased: () => this.#repliesReleased(),
        repliesLost: () => this.#repliesLost(),
      }),
    ];
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  connect(peer: Peer): Line {
    return new EngineConnection(this, peer);
  }

  #repliesReleased(): void {
    if (this.#toFlush.length > 0) this.#schedule();
  }

  /** Cuts the connections whose replies must not be delivered. */
  #repliesLost(): void {
    const connections = this.#toFlush;
    this.#toFlush = [];
    for (const connection of connections) connection.close('now');
  }

  /** Ends all connections. Pending replies are still delivered. The engine is not closed. */
  close(): void {
    this.#isClosed = true;
    for (const connection of [...this.#connections]) connection.shutDown();
    this.#detachIfOver();
  }

  opened(connection: EngineConnection): void {
    this.#connections.add(connection);
    this.engine.statistics.connectionsReceived++;
  }

  closed(connection: EngineConnection): void {
    this.#connections.delete(connection);
    this.#detachIfOver();
  }

  /** Detaches from the engine when all connections are closed and all output is delivered. */
  #detachIfOver(): void {
    if (!this.#isClosed || this.#connections.size > 0) return;
    for (const detach of this.#detachments) detach();
  }

  workLater(connection: EngineConnection): void {
    this.#toWork.push(connection);
    this.#schedule();
  }

  flushLater(connection: EngineConnection): void {
    this.#toFlush.push(connection);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    if (this.#turnsLeft > 0) {
      this.#turnsLeft--;
      process.nextTick(this.#turn);
    }
    if (this.#isRefilling) return;
    this.#isRefilling = true;
    setImmediate(this.#refill);
  }

  /** Called once per round of the event loop. */
  readonly #refill = (): void => {
    this.#isRefilling = false;
    const hasWaited = this.#isScheduled && this.#turnsLeft === 0;
    this.#turnsLeft = MAX_TURNS_IN_A_ROW;
    if (hasWaited) this.#turn();
  };

  readonly #turn = (): void => {
    const toWork = this.#toWork;
    this.#toWork = [];
    for (const connection of toWork) connection.work();
    this.#isScheduled = false;
    if (this.engine.holdsReplies) return;
    const toFlush = this.#toFlush;
    this.#toFlush = [];
    this.#deliver(toFlush);
  };

  /** Delivers to clients, whose code may send, end or throw. */
  #deliver(connections: readonly EngineConnection[]): void {
    let delivered = 0;
    try {
      for (const connection of connections) {
        delivered++;
        connection.flush();
      }
    } finally {
      if (delivered < connections.length) {
        this.#toFlush.unshift(...connections.slice(delivered));
        this.#schedule();
      }
    }
  }
}

/** A round of the event loop takes as long as a few commands, which is little for this many turns. */
const MAX_TURNS_IN_A_ROW = 64;
