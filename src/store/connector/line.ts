/** The client's end of a connection, as the engine's end sees it. */
export interface Peer {
  /** RESP bytes from the engine. The buffer is the peer's from now on. */
  deliver(bytes: Buffer): void;
  /** Everything has been delivered, and nothing more will come. */
  ended(): void;
  /** The connection is over at once. */
  cut(): void;
  /** The engine is closing: there will be no other connection either. */
  closing(): void;
}

/** The engine's end of a connection, as the client's end sees it. */
export interface Line {
  /** RESP, as text (UTF-8) or bytes, which are copied. Answered later, never before this returns. */
  receive(chunk: string | Uint8Array): void;
  /** The client will send nothing more. What it has asked for is still answered. */
  end(): void;
  /** The client has gone: nothing more is done for it. */
  gone(): void;
}

/** Where clients get their connections: an engine of this thread, or one of another. */
export interface Exchange {
  /** There will be no connection any more. */
  readonly isClosed: boolean;
  connect(peer: Peer): Line;
}
