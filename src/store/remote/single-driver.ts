import type { StoreError } from '../store-error.js';
import type {
  ChannelKind,
  Closable,
  MessageListener,
  Reply,
  Request,
  TransportListener,
} from '../transport.js';
import type { Argument } from '../value.js';
import type { LinkSource, RemoteDriver, RemoteLink } from './remote-driver.js';
import { SteadyLink } from './steady-link.js';

/** Sends requests to one server, or to the master that Sentinels name, with any client library. */
export class SingleDriver implements RemoteDriver {
  readonly #source: LinkSource;
  readonly #line: SteadyLink;
  #tell: TransportListener = () => {};

  private constructor(source: LinkSource, link: RemoteLink) {
    this.#source = source;
    this.#line = new SteadyLink(
      {
        server: source.server,
        connect: (signal) => source.connect(signal),
        pauseBefore: (attempt) => source.pauseBefore(attempt),
        tell: (name, event) => this.#tell(name, event),
      },
      link,
    );
  }

  static async open(source: LinkSource, signal?: AbortSignal): Promise<SingleDriver> {
    return new SingleDriver(source, await source.connect(signal));
  }

  get kind(): LinkSource['kind'] {
    return this.#source.kind;
  }

  /** Not `async`, since every command comes through here and each promise costs time. */
  send(request: Request, format: number): Promise<Reply> {
    try {
      return this.#line.link.send(request, format);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async sendMany(requests: readonly Request[], format: number): Promise<readonly Reply[]> {
    return this.#line.link.sendMany(requests, format);
  }

  async execute(requests: readonly Request[], format: number): Promise<readonly Reply[] | null> {
    return this.#line.link.execute(requests, format);
  }

  ready(): Promise<void> {
    return this.#line.ready();
  }

  problem(): StoreError | undefined {
    return this.#line.problem;
  }

  drop(_request: Request | undefined, reason: string): void {
    this.#line.drop(reason);
  }

  keyOf(): undefined {
    return undefined;
  }

  placeOf(): string {
    return '';
  }

  connect(_place: string, signal?: AbortSignal): Promise<RemoteLink> {
    return this.#source.connect(signal);
  }

  async refresh(): Promise<void> {}

  subscribe(
    kind: ChannelKind,
    names: readonly Argument[],
    listener: MessageListener,
    signal?: AbortSignal,
  ): Promise<Closable> {
    return this.#source.subscribe(kind, names, listener, signal);
  }

  get name(): string {
    return this.#source.server;
  }

  servers(): readonly [this] {
    return [this];
  }

  listen(listener: TransportListener): void {
    this.#tell = listener;
  }

  duplicate(signal?: AbortSignal): Promise<SingleDriver> {
    return SingleDriver.open(this.#source, signal);
  }

  close(): void {
    this.#line.close();
  }
}
