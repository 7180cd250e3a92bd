import type { Socket } from 'node:net';

/** Gets the input of a connection that was handed over, and undefined at its end. */
export type InputReceiver = (bytes: Buffer | undefined) => void;

/** A connection without a session: it belongs to the debugger of a script. */
export class HandedOver {
  readonly #socket: Socket;
  readonly #endStream: () => void;
  #receive: InputReceiver | undefined;

  /** `endStream` closes the connection after everything is sent. */
  constructor(socket: Socket, receive: InputReceiver, endStream: () => void) {
    this.#socket = socket;
    this.#receive = receive;
    this.#endStream = endStream;
  }

  /** Takes bytes of the shared input buffer. */
  received(bytes: Buffer): void {
    this.#receive?.(Buffer.from(bytes));
  }

  /** The peer will send nothing more. */
  ended(): void {
    this.#receive?.(undefined);
    this.#receive = undefined;
  }

  write(bytes: Buffer): void {
    this.#socket.write(bytes);
  }

  /** Closes it after everything is sent. */
  end(): void {
    this.#endStream();
  }
}
