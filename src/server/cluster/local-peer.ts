import type { Exchange, Peer } from '../../commands/host-port.js';
import { type Session, silentSink } from '../../commands/session.js';
import type { Engine } from '../../engine/engine.js';
import { Parsed, type ParserLimits, RequestParser } from '../../resp/request-parser.js';
import { RespWriter } from '../../resp/resp-writer.js';

/**
 * A connection of MIGRATE to a server in the same process, which could not answer over a socket while the process waits for it: its
 * commands run at once.
 */
export class LocalPeer implements Peer {
  db = -1;
  readonly #engine: Engine;
  readonly #session: Session;
  readonly #parser = new RequestParser();
  readonly #writer = new RespWriter();

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#session = engine.openSession(silentSink);
  }

  exchange(request: Buffer): Exchange {
    const engine = this.#engine;
    const parser = this.#parser;
    const writer = this.#writer;
    engine.beginTurn();
    parser.feed(request, request.length);
    while (parser.next(LIMITS) === Parsed.command) {
      engine.execute(this.#session, parser.args, parser.argc, writer);
    }
    parser.finish();
    engine.endTurn();
    const lines = writer.copyFrom(0).latin1Slice().split('\r\n').slice(0, -1);
    writer.reset();
    return { lines, failure: undefined, isTimeout: false };
  }

  close(): void {
    this.#engine.closeSession(this.#session);
  }
}

const LIMITS: ParserLimits = { maxBulkLength: 2 ** 31 };
