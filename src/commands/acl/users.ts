import { timingSafeEqual } from 'node:crypto';
import { Bytes } from '../../bytes/bytes.js';
import type { Settings } from '../config/settings.js';
import { type Session, SessionGate } from '../session.js';
import type { Command, CommandTable } from '../table.js';
import { AccessLog } from './access-log.js';
import { describeUser } from './describe.js';
import { allowsChannel, allowsPattern, Verdict } from './selector.js';
import { User } from './user.js';
import { applyUserRule, passwordHash, type RuleContext } from './user-rules.js';

/** The user of clients that have not authenticated. It always exists. */
const DEFAULT = 'default';

/**
 * The users of one engine, and which session is which user's. A session without a user may do everything: the program that
 * embeds the engine, the commands of a file or master.
 */
export class Users implements RuleContext {
  readonly table: CommandTable;
  readonly log = new AccessLog();
  /** Its object never changes. */
  readonly defaultUser: User;
  allowsAllChannels = false;
  readonly #sessions: ReadonlyMap<number, Session>;
  #users: Map<string, User>;

  constructor(table: CommandTable, sessions: ReadonlyMap<number, Session>, settings: Settings) {
    this.table = table.original;
    this.#sessions = sessions;
    this.defaultUser = this.#newUser(DEFAULT);
    this.defaultUser.become(this.#unrestricted());
    this.#users = new Map([[DEFAULT, this.defaultUser]]);
    settings.onChange('acl-pubsub-default', (text) => {
      this.allowsAllChannels = text === 'allchannels';
    });
    settings.onChange('acllog-max-len', (text) => {
      this.log.maxLength = Number(text);
    });
    let before = '';
    settings.onChange('requirepass', (password) => {
      if (password === before) return;
      before = password;
      this.#setRules(this.defaultUser, ['resetpass', password === '' ? 'nopass' : `>${password}`]);
    });
  }

  find(name: string): User | undefined {
    return this.#users.get(name);
  }

  /** In the order of their names. */
  get all(): readonly User[] {
    return sorted(this.#users.values());
  }

  /** All users, as lines of an ACL file. */
  describe(): string[] {
    return this.all.map((user) => describeUser(user, this.table));
  }

  // ---- changes ----

  /**
   * ACL SETUSER: applies all rules to the user, which is created if it does not exist, or throws a `RuleError` and changes
   * nothing. `onRule` is called before each rule, `by` is the session that asks for it.
   */
  set(name: string, rules: readonly string[], onRule?: (rule: string) => void, by?: Session): void {
    const known = this.#users.get(name);
    const staged = this.#newUser(name);
    if (known !== undefined) staged.become(known);
    for (const rule of rules) {
      onRule?.(rule);
      applyUserRule(staged, rule, this);
    }
    const user = known ?? this.#newUser(name);
    if (known !== undefined) this.#closeSubscribers(known, staged, by);
    user.become(staged);
    this.#users.set(name, user);
    this.#reviewSessions();
  }

  /** A `user` line of a configuration file. The default user begins without permissions there. */
  define(name: string, rules: readonly string[], onRule?: (rule: string) => void): void {
    this.set(name, name === DEFAULT ? ['reset', ...rules] : rules, onRule);
  }

  /** Deletes the user and closes its connections. False if it does not exist. */
  delete(name: string, by: Session): boolean {
    const user = this.#users.get(name);
    if (user === undefined || user === this.defaultUser) return false;
    this.#users.delete(name);
    this.#closeSessions(user, by);
    return true;
  }

  /**
   * ACL LOAD: replaces all users. Connections of the former ones are closed, except those of the default user, which is not
   * restricted if no line defines it.
   */
  replaceAll(users: ReadonlyMap<string, User>, by: Session | undefined): void {
    const former = this.#users;
    this.defaultUser.become(users.get(DEFAULT) ?? this.#unrestricted());
    this.#users = new Map([...users, [DEFAULT, this.defaultUser]]);
    for (const user of this.#users.values()) user.review();
    for (const user of former.values()) if (user !== this.defaultUser) this.#closeSessions(user, by);
    this.#reviewSessions();
  }

  /** A user that is not in the list yet: see `replaceAll`. */
  create(name: string): User {
    return this.#newUser(name);
  }

  #newUser(name: string): User {
    return new User(name, this.table.idLimit, this.allowsAllChannels);
  }

  #unrestricted(): User {
    const user = this.#newUser(DEFAULT);
    for (const rule of ['+@all', '~*', '&*', 'on', 'nopass']) applyUserRule(user, rule, this);
    return user;
  }

  #setRules(user: User, rules: readonly string[]): void {
    const staged = this.#newUser(user.name);
    staged.become(user);
    for (const rule of rules) applyUserRule(staged, rule, this);
    user.become(staged);
    this.#reviewSessions();
  }

  // ---- sessions ----

  /** True if the credentials are right; the session is then that user's. */
  authenticate(session: Session, name: string, password: string): boolean {
    const user = this.#users.get(name);
    if (!isPassword(user, password)) return false;
    session.user = user;
    session.authenticated = true;
    this.#applyGates(session);
    return true;
  }

  /** The session is that of this user, who has been authenticated elsewhere; without a name, it may do everything. */
  assume(session: Session, name: string | undefined): void {
    session.isTrusted = name === undefined;
    session.user = name === undefined ? undefined : this.#users.get(name);
    session.authenticated = true;
    this.#applyGates(session);
  }

  /** The session is as it was when it connected. A new one is the default user's, authenticated if that needs no password. */
  reset(session: Session): void {
    session.user = session.isTrusted ? undefined : this.defaultUser;
    session.authenticated = session.isTrusted || !this.#requiresPassword;
    this.#applyGates(session);
  }

  /** The session may do everything, whatever the users may do. */
  trust(session: Session): void {
    session.isTrusted = true;
    this.reset(session);
  }

  /** Whether new clients have to authenticate. */
  get #requiresPassword(): boolean {
    return !this.defaultUser.needsNoPassword || !this.defaultUser.isOn;
  }

  #reviewSessions(): void {
    for (const session of this.#sessions.values()) this.#applyGates(session);
  }

  /** If the default user needs no password any more, all clients may run commands. */
  #applyGates(session: Session): void {
    const { user } = session;
    session.gates &= ~(SessionGate.unauthenticated | SessionGate.restricted);
    if (!session.authenticated && this.#requiresPassword) session.gates |= SessionGate.unauthenticated;
    if (user !== undefined && !user.isUnrestricted) session.gates |= SessionGate.restricted;
  }

  /** What follows in the same input runs without the user's permissions. */
  #closeSessions(user: User, by: Session | undefined): void {
    for (const session of this.#sessions.values()) {
      if (session.user !== user) continue;
      session.user = this.defaultUser;
      session.authenticated = false;
      this.#applyGates(session);
      session.sink.close(session === by ? 'flushed' : 'now');
    }
  }

  /** If the user loses channels, closes its subscribers of channels that it may no longer use. */
  #closeSubscribers(user: User, staged: User, by: Session | undefined): void {
    if (staged.selectors.some(({ allowsAllChannels }) => allowsAllChannels)) return;
    const allowed = staged.selectors.flatMap(({ channels }) => channels);
    const kept = new Set(allowed.map(({ text }) => text));
    const loses = user.selectors.some(
      ({ allowsAllChannels, channels }) => allowsAllChannels || channels.some(({ text }) => !kept.has(text)),
    );
    if (!loses) return;
    for (const session of this.#sessions.values()) {
      if (session.user !== user) continue;
      const { patterns, channels, shardChannels } = session;
      const keepsAll =
        [...patterns].every((pattern) => allowsPattern(allowed, Bytes.of(pattern))) &&
        [...channels, ...shardChannels].every((channel) => allowsChannel(allowed, Bytes.of(channel)));
      if (!keepsAll) session.sink.close(session === by ? 'flushed' : 'now');
    }
  }

  // ---- permissions ----

  /** Whether the session may run the command with these arguments: a `Verdict`. */
  check({ user, gates }: Session, command: Command, args: readonly Bytes[], argc: number): number {
    if ((gates & SessionGate.restricted) === 0) return Verdict.allowed;
    return (user as User).check(command, args, argc);
  }

  /** Whether the session's command may use every key: for SORT, whose patterns may name any. */
  mayUseAnyKey(
    { user, gates }: Session,
    command: Command,
    args: readonly Bytes[],
    argc: number,
    keyFlags: number,
  ): boolean {
    return (
      (gates & SessionGate.restricted) === 0 || (user as User).mayUseAnyKey(command, args, argc, keyFlags)
    );
  }
}

function sorted(users: Iterable<User>): User[] {
  return [...users].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Compares in constant time, whether or not the user exists and whichever password is right. */
function isPassword(user: User | undefined, password: string): boolean {
  const given = Buffer.from(passwordHash(password), 'latin1');
  let isRight = false;
  for (const hash of user?.passwords ?? [NO_HASH]) {
    if (timingSafeEqual(given, Buffer.from(hash, 'latin1'))) isRight = true;
  }
  return user?.isOn === true && (user.needsNoPassword || isRight);
}

const NO_HASH = '-'.repeat(64);
