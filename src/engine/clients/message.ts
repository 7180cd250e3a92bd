import { RespWriter } from '../../resp/resp-writer.js';

/** A message for many clients, encoded once for each protocol when first needed. */
export class Message {
  readonly #write: (writer: RespWriter) => void;
  readonly #encoded: [resp2: Buffer | undefined, resp3: Buffer | undefined] = [undefined, undefined];

  constructor(write: (writer: RespWriter) => void) {
    this.#write = write;
  }

  for(protocol: 2 | 3): Buffer {
    const encoded = this.#encoded[protocol - 2] ?? this.#encode(protocol);
    this.#encoded[protocol - 2] = encoded;
    return encoded;
  }

  #encode(protocol: 2 | 3): Buffer {
    scratch.reset();
    scratch.protocol = protocol;
    this.#write(scratch);
    return scratch.copyFrom(0);
  }
}

const scratch = new RespWriter(1 << 10);
