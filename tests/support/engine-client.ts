import { Bytes } from '../../src/bytes/bytes.js';
import type { Session } from '../../src/commands/session.js';
import type { Engine } from '../../src/engine/engine.js';
import { RespWriter } from '../../src/resp/resp-writer.js';

/** A client of an engine without a socket. It keeps the pieces of output that it receives, in order. */
export class EngineClient {
  readonly pieces: Buffer[] = [];
  readonly session: Session;
  readonly #engine: Engine;
  readonly #writer = new RespWriter();

  constructor(engine: Engine, protocol: 2 | 3 = 2) {
    this.#engine = engine;
    this.session = engine.openSession({
      send: (bytes) => this.pieces.push(bytes),
      close() {},
      resume() {},
      pending: 0,
    });
    this.session.address = '127.0.0.1:1';
    this.session.protocol = protocol;
  }

  /** Runs lines of words, separated by single spaces, in one turn. Returns everything that the client receives for them. */
  run(...lines: string[]): string {
    return this.call(...lines.map((line) => line.split(' ')));
  }

  /** The same for commands given as lists of words. */
  call(...commands: (readonly string[])[]): string {
    this.#engine.beginTurn();
    for (const words of commands) {
      const args = words.map((word) => Bytes.of(word));
      this.#engine.execute(this.session, args, args.length, this.#writer);
    }
    const replies = this.#writer.copyFrom(0).toString('latin1');
    this.#writer.reset();
    this.#engine.endTurn();
    return replies + this.received();
  }

  /** Runs one command in the middle of a script that takes too long; returns the reply. */
  interrupt(line: string): string {
    const writer = new RespWriter();
    const args = line.split(' ').map((word) => Bytes.of(word));
    this.#engine.execution.executeDuringScript(this.session, args, args.length, writer);
    return writer.copyFrom(0).toString('latin1');
  }

  /** The output since the last call that is not a reply. */
  received(): string {
    return Buffer.concat(this.pieces.splice(0)).toString('latin1');
  }
}
