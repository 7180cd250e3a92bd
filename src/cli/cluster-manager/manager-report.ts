import type { WireReply } from '../wire/reply.js';
import { textOf } from '../wire/reply.js';

/** Where the cluster manager writes to. All texts are latin1. */
export interface ManagerOutput {
  print(text: string): void;
  /** A line to standard error. */
  error(text: string): void;
}

/** The manager gives up; what is wrong has been printed. The exit code is 1. */
export class GivenUp extends Error {
  override readonly name = 'GivenUp';
}

/** Prints what happens, with colours at terminals that have them. */
export class ManagerReport {
  /** Problems that `check` has found. */
  readonly problems: string[] = [];
  readonly #out: ManagerOutput;
  readonly #hasColors: boolean;

  constructor(out: ManagerOutput, hasColors: boolean) {
    this.#out = out;
    this.#hasColors = hasColors;
  }

  print(text: string): void {
    this.#out.print(text);
  }

  /** A line to standard error. */
  complain(line: string): void {
    this.#out.error(line);
  }

  info(text: string): void {
    this.#colored('29;1', text);
  }

  warn(text: string): void {
    this.#colored('33;1', text);
  }

  bad(text: string): void {
    this.#colored('31;1', text);
  }

  good(text: string): void {
    this.#colored('32;1', text);
  }

  /** A line about a problem of the cluster, which `reshard` and `rebalance` refuse to work with. */
  problem(line: string): void {
    this.problems.push(line);
    this.bad(`${line}\n`);
  }

  /** Prints the text and returns the error to throw. */
  giveUp(text: string): GivenUp {
    this.bad(text);
    return new GivenUp(text);
  }

  #colored(color: string, text: string): void {
    this.#out.print(this.#hasColors ? `\x1b[${color}m${text}\x1b[0m` : text);
  }
}

/** The text of an error reply; undefined if it is none. */
export function errorOf(reply: WireReply): string | undefined {
  return reply.kind === 'error' ? textOf(reply) : undefined;
}
