import type { Bytes } from '../../bytes/bytes.js';
import type { Command } from '../table.js';
import { QuickCheck } from './quick-check.js';
import { Selector, Verdict } from './selector.js';

/** The flags of a user, in the order in which they are shown. */
const FLAGS = ['on', 'off', 'nopass', 'skip-sanitize-payload', 'sanitize-payload'] as const;
type UserFlag = (typeof FLAGS)[number];

/**
 * A user: its passwords and what it may do. The object stays the same while the user exists; sessions refer to it. Rules are
 * applied to a copy (`applyUserRule`), which then replaces the content (`become`).
 */
export class User {
  readonly name: string;
  isOn = false;
  /** Every password is right. */
  needsNoPassword = false;
  /** `sanitize-payload` or `skip-sanitize-payload`, if one was given. RESTORE checks every payload anyway. */
  payloads: 'sanitize-payload' | 'skip-sanitize-payload' | undefined;
  /** SHA-256 of each password, in hexadecimal digits. */
  passwords: string[] = [];
  /** The user's own permissions, then those in parentheses. */
  selectors: Selector[];
  /** Whether no command needs to be checked. */
  isUnrestricted = false;
  /** The argument that the last check refused: a key or a channel; 0 if it refused the command. */
  refusedAt = 0;
  /** Of the own selector. */
  #quickCheck: QuickCheck;

  constructor(name: string, commandLimit: number, allowsAllChannels: boolean) {
    this.name = name;
    const own = new Selector(commandLimit, allowsAllChannels);
    this.selectors = [own];
    this.#quickCheck = new QuickCheck(own);
  }

  get ownSelector(): Selector {
    return this.selectors[0] as Selector;
  }

  get flags(): readonly UserFlag[] {
    const set: Readonly<Record<UserFlag, boolean>> = {
      on: this.isOn,
      off: !this.isOn,
      nopass: this.needsNoPassword,
      'skip-sanitize-payload': this.payloads === 'skip-sanitize-payload',
      'sanitize-payload': this.payloads === 'sanitize-payload',
    };
    return FLAGS.filter((flag) => set[flag]);
  }

  /** Takes over everything but the name. */
  become(other: User): void {
    this.isOn = other.isOn;
    this.needsNoPassword = other.needsNoPassword;
    this.payloads = other.payloads;
    this.passwords = [...other.passwords];
    this.selectors = other.selectors.map((selector) => selector.copy());
    this.review();
  }

  /** To be called after the selectors have changed. */
  review(): void {
    this.isUnrestricted = this.selectors.some(({ allowsEverything }) => allowsEverything);
    this.#quickCheck = new QuickCheck(this.ownSelector);
  }

  /**
   * Whether the user may run the command with these arguments: a `Verdict`. If every selector refuses it, the one that came
   * furthest gives the reason.
   */
  check(command: Command, args: readonly Bytes[], argc: number): number {
    if (this.#quickCheck.allows(command, args, argc)) return Verdict.allowed;
    const { selectors } = this;
    let reason: number = Verdict.command;
    let refusedAt = 0;
    for (let i = 0; i < selectors.length; i++) {
      const selector = selectors[i] as Selector;
      const verdict = selector.check(command, args, argc);
      if (verdict === Verdict.allowed) return verdict;
      if (verdict > reason || (verdict === reason && selector.refusedAt > refusedAt)) {
        reason = verdict;
        refusedAt = selector.refusedAt;
      }
    }
    this.refusedAt = refusedAt;
    return reason;
  }

  /** Whether a selector that allows the command allows every key, too: for SORT, whose patterns may name any key. */
  mayUseAnyKey(command: Command, args: readonly Bytes[], argc: number, keyFlags: number): boolean {
    return this.selectors.some(
      (selector) =>
        selector.check(command, args, argc) === Verdict.allowed && selector.allowsAnyKey(keyFlags),
    );
  }
}
