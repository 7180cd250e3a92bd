/** The client's end of a connection, as the engine's end sees it. */
export interface Peer {
  /** RESP bytes from the engine. The peer owns the buffer from now on. */
  deliver(bytes: Buffer): void;
  /** All output has been delivered, and no more will come. */
  ended(): void;
  /** The connection ends at once. */
  cut(): void;
  /** The engine is closing: there will be no more connections. */
  closing(): void;
  /** After `Line.receive` has returned false: more can be sent. */
  drained(): void;
}

/** The engine's end of a connection, as the client's end sees it. */
export interface Line {
  /**
   * RESP as text (UTF-8) or bytes, which are copied. Replies come after this returns, never during the call. False if
   * enough is queued: the client should wait for `Peer.drained` before it sends more.
   */
  receive(chunk: string | Uint8Array): boolean;
  /** The client will send nothing more. Its earlier commands are still answered. */
  end(): void;
  /** The client has gone: its input and output are dropped. */
  gone(): void;
}

/** Makes connections to an engine in this thread or in another one. */
export interface Exchange {
  /** There will be no more connections. */
  readonly isClosed: boolean;
  connect(peer: Peer): Line;
}
