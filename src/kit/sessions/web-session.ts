import { KitError } from '../foundation/index.js';
import type { NewSession, Session } from './session-record.js';
import type { Sessions } from './sessions.js';
import type { SignedCookies } from './signed-cookies.js';

/** The session of a request. It is created when something is first stored in it, so that robots leave no sessions. */
export interface WebSession<Data extends object = Record<string, unknown>> {
  /** The session as last read or changed; undefined if the visitor has none. */
  readonly current: Session<Data> | undefined;
  /** Who is logged in. */
  readonly user: string | undefined;
  readonly data: Partial<Data>;
  /** The token, for components whose data belongs to sessions, such as carts. Creates a session if there is none. */
  token(): Promise<string>;
  /** Changes fields of the data; `undefined` removes one. */
  update(changes: Partial<Data>): Promise<void>;
  /** Notes an item that the visitor looks at. */
  view(item: string): Promise<void>;
  /** Logs a user in. The session gets another token; its data is kept. */
  login(user: string): Promise<void>;
  /** Ends the session, and the cookie. */
  logout(): Promise<void>;
}

/** How headers of a response are added. */
export interface CookieJar {
  /** Whether it is too late to add a header. */
  isSent(): boolean;
  add(header: string): void;
}

/** The session of one request. */
export class RequestSession<Data extends object> implements WebSession<Data> {
  readonly #sessions: Sessions<Data>;
  readonly #cookies: SignedCookies;
  readonly #lifetime: number;
  readonly #jar: CookieJar;
  #token: string | undefined;
  #current: Session<Data> | undefined;

  private constructor(sessions: Sessions<Data>, cookies: SignedCookies, lifetime: number, jar: CookieJar) {
    this.#sessions = sessions;
    this.#cookies = cookies;
    this.#lifetime = lifetime;
    this.#jar = jar;
  }

  /** Reads the cookie, and notes the visit if there is a session. */
  static async open<Data extends object>(
    sessions: Sessions<Data>,
    cookies: SignedCookies,
    lifetime: number,
    header: string | undefined,
    jar: CookieJar,
  ): Promise<RequestSession<Data>> {
    const session = new RequestSession(sessions, cookies, lifetime, jar);
    const found = cookies.find(header);
    if (found === undefined) return session;
    session.#current = await sessions.touch(found.token);
    if (session.#current === undefined) return session;
    session.#token = found.token;
    if (found.isOld) {
      const left = session.#current.createdAt.getTime() + lifetime - session.#current.seenAt.getTime();
      jar.add(cookies.header(found.token, left));
    }
    return session;
  }

  get current(): Session<Data> | undefined {
    return this.#current;
  }

  get user(): string | undefined {
    return this.#current?.user;
  }

  get data(): Partial<Data> {
    return this.#current?.data ?? {};
  }

  async token(): Promise<string> {
    return this.#token ?? this.#begin({});
  }

  async update(changes: Partial<Data>): Promise<void> {
    const token = this.#token;
    const changed = token === undefined ? undefined : await this.#sessions.update(token, changes);
    // There is no session, or it has ended meanwhile.
    if (changed === undefined) await this.#begin({ data: changes });
    else this.#current = changed;
  }

  async view(item: string): Promise<void> {
    const see = (token: string) => this.#sessions.touch(token, { item });
    this.#current = (await see(await this.token())) ?? (await see(await this.#begin({})));
  }

  async login(user: string): Promise<void> {
    this.#checkOpen();
    const rotated =
      this.#token === undefined ? undefined : await this.#sessions.rotate(this.#token, { user });
    if (rotated === undefined) await this.#begin({ user });
    else this.#take(rotated);
  }

  async logout(): Promise<void> {
    this.#checkOpen();
    const token = this.#token;
    this.#token = undefined;
    this.#current = undefined;
    this.#jar.add(this.#cookies.clearing());
    if (token !== undefined) await this.#sessions.revoke(token);
  }

  async #begin(options: { user?: string; data?: Partial<Data> }): Promise<string> {
    this.#checkOpen();
    return this.#take(await this.#sessions.create(options));
  }

  #take({ token, ...session }: NewSession<Data>): string {
    this.#token = token;
    this.#current = session;
    this.#jar.add(this.#cookies.header(token, this.#lifetime));
    return token;
  }

  /** The visitor would never get the cookie. */
  #checkOpen(): void {
    if (!this.#jar.isSent()) return;
    throw new KitError(
      'HEADERS_SENT',
      'the session changed its cookie after the headers of the response were sent: do it before writing the response',
    );
  }
}
