import type { Engine } from '../../engine/engine.js';
import type { ParserLimits } from '../../resp/request-parser.js';
import { RespWriter } from '../../resp/resp-writer.js';
import { EngineConnection } from './engine-connection.js';
import type { Exchange, Line, Peer } from './line.js';

/**
 * The connections to one engine from within its process. They take turns before the event loop goes on: a client that
 * awaits one reply after the other does not wait for the loop to go round each time. But only a limited number in a row, or such
 * a client would keep timers and sockets waiting for ever.
 */
export class LocalConnections implements Exchange {
  readonly engine: Engine;
  readonly writer = new RespWriter(1 << 12);
  readonly limits: ParserLimits = { maxBulkLength: 0 };
  readonly #connections = new Set<EngineConnection>();
  /** With input to be worked off; with output to be delivered, or to be ended. */
  #toWork: EngineConnection[] = [];
  #toFlush: EngineConnection[] = [];
  #isScheduled = false;
  #turnsLeft = MAX_TURNS_IN_A_ROW;
  #isRefilling = false;
  #isClosed = false;
  /** Undoes what it has attached to the engine. */
  readonly #detachments: readonly (() => void)[];

  constructor(engine: Engine) {
    this.engine = engine;
    this.#detachments = [
      engine.settings.onChange('proto-max-bulk-len', (text) => {
        this.limits.maxBulkLength = Number(text);
      }),
      engine.attach({ repliesReleased: () => this.#repliesReleased() }),
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

  /** Ends every connection; what has been replied is still delivered. The engine stays as it is. */
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

  /** Closed, and everything delivered: the engine need not know of it any more. */
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

  /** The event loop has gone round. */
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

  /** Hands over to clients, who may do anything then: send, end, throw. */
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

/** A round of the event loop costs no more than a few commands: little, shared by as many as this. */
const MAX_TURNS_IN_A_ROW = 64;
