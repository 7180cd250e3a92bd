import type { Engine } from '../engine/engine.js';
import type { EffectCommand, EffectsListener } from '../keyspace/effects.js';
import { CommandStream } from '../persistence/command-stream.js';
import { type RequestSink, RequestWriter } from '../resp/request-encoder.js';
import { History } from './history.js';
import { SharedBuffer } from './shared-buffer.js';
import type { World } from './world.js';

/**
 * The replication stream of a server: on a master its own changes, on a replica the bytes of its master, verbatim. It exists
 * from the first replica on (`open`); before, changes cost nothing.
 */
export class ReplicationStream implements RequestSink, EffectsListener {
  readonly history: History;
  /** The end of the stream; undefined while no replica was ever connected. */
  backlog: SharedBuffer | undefined;
  /** Called after a turn in which bytes were added: `beforeSending` may add more, `onBytes` sends them. */
  beforeSending: () => void = () => {};
  onBytes: () => void = () => {};
  readonly #engine: Engine;
  readonly #world: World;
  readonly #commands = new CommandStream(this, 'replicas');
  readonly #writer = new RequestWriter(this.#commands);
  #unsubscribe: (() => void) | undefined;
  #cancelNotice: (() => void) | undefined;
  #isMaster = true;

  constructor(engine: Engine, world: World) {
    this.#engine = engine;
    this.#world = world;
    this.history = new History(world.random);
  }

  /** Keeps the stream from now on. */
  open(): void {
    if (this.backlog !== undefined) return;
    this.backlog = new SharedBuffer(this.history.offset, this.#engine.settings.number('repl-backlog-size'));
    this.#record();
  }

  /** Forgets the stream, and no longer records changes. */
  close(): void {
    this.backlog = undefined;
    this.#record();
    this.#cancelNotice?.();
    this.#cancelNotice = undefined;
  }

  /** Whether the stream consists of this engine's changes (master) or of the master's bytes (replica). */
  set isMaster(isMaster: boolean) {
    this.#isMaster = isMaster;
    this.#record();
    this.reselect();
  }

  #record(): void {
    const isNeeded = this.#isMaster && this.backlog !== undefined;
    if (isNeeded) this.#unsubscribe ??= this.#engine.keyspace.effects.subscribe(this);
    else {
      this.#unsubscribe?.();
      this.#unsubscribe = undefined;
    }
  }

  /** The database that the stream's next command is for. */
  get selected(): number {
    return Math.max(0, this.#commands.selected);
  }

  /** The next change begins with SELECT: a replica begins to read here. */
  reselect(): void {
    this.#commands.reselect();
  }

  batch(commands: readonly EffectCommand[], independent: boolean): void {
    this.#commands.write(commands, independent);
  }

  /** Writes a command that is not a change: PING, REPLCONF GETACK. */
  command(...words: readonly string[]): void {
    this.#writer.begin(words.length);
    for (const word of words) this.#writer.text(word);
  }

  bytes(buffer: Buffer, start: number, end: number): void {
    this.history.offset += end - start;
    this.backlog?.bytes(buffer, start, end);
    if (this.#cancelNotice === undefined) this.sendSoon();
  }

  /** Calls `beforeSending` and `onBytes` after this turn. */
  sendSoon(): void {
    this.#cancelNotice ??= this.#world.timers.soon(this.#send);
  }

  readonly #send = (): void => {
    this.beforeSending();
    this.#cancelNotice = undefined;
    this.onBytes();
  };
}
