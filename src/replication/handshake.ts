import { Bytes } from '../bytes/bytes.js';
import type { Settings } from '../commands/config/settings.js';
import { encodeRequest } from '../resp/request-encoder.js';

/** A request of latin1 words. */
export function encodeWords(...words: readonly string[]): Buffer {
  return encodeRequest(words.map((word) => Bytes.of(word)));
}

/** Why a reply ends the handshake; undefined if it does not. */
type Check = (line: string) => string | undefined;

interface Request {
  readonly bytes: Buffer;
  readonly check: Check;
}

/** What a link does after a reply: it waits for more of them, sends the next requests, asks for the data, or gives up. */
export type HandshakeStep =
  | { readonly kind: 'wait' | 'done' }
  | { readonly kind: 'send'; readonly bytes: Buffer }
  | { readonly kind: 'failed'; readonly reason: string };

/** What precedes PSYNC: PING, then a description of the replica, sent in one go. */
export class Handshake {
  /** The first request. */
  readonly ping = encodeWords('PING');
  readonly #describe: () => readonly Request[];
  #expected: readonly Check[] = [checkPing];
  #isDescribed = false;

  /** Port 0 means that no server can connect to the replica. */
  constructor(settings: Settings, listeningPort: number, log: (message: string) => void) {
    this.#describe = () => describeReplica(settings, listeningPort, log);
  }

  /** Takes the next reply of the master. */
  take(line: string): HandshakeStep {
    const [check, ...rest] = this.#expected;
    this.#expected = rest;
    const reason = check?.(line);
    if (reason !== undefined) return { kind: 'failed', reason };
    if (rest.length > 0) return { kind: 'wait' };
    if (this.#isDescribed) return { kind: 'done' };
    this.#isDescribed = true;
    const requests = this.#describe();
    this.#expected = requests.map((request) => request.check);
    return { kind: 'send', bytes: Buffer.concat(requests.map(({ bytes }) => bytes)) };
  }
}

/** The master must be usable. It may require a password first. */
function checkPing(line: string): string | undefined {
  return /^(\+|-NOAUTH|-NOPERM|-ERR operation not permitted)/.test(line)
    ? undefined
    : `the reply to PING is '${line}'`;
}

function describeReplica(
  settings: Settings,
  listeningPort: number,
  log: (message: string) => void,
): readonly Request[] {
  const requests: Request[] = [];
  const password = settings.text('masterauth');
  const user = settings.text('masteruser');
  if (password !== '') {
    requests.push({
      bytes: user === '' ? encodeWords('AUTH', password) : encodeWords('AUTH', user, password),
      check: (line) => (line.startsWith('-') ? `Unable to AUTH to MASTER: ${line}` : undefined),
    });
  }
  /** An old master may not know such a request; its error is only logged. */
  const declare = (...words: readonly string[]): void => {
    const check = (line: string): undefined => {
      if (line.startsWith('-'))
        log(`(Non critical) Master does not understand REPLCONF ${words[0]}: ${line}`);
    };
    requests.push({ bytes: encodeWords('REPLCONF', ...words), check });
  };
  declare('listening-port', String(settings.number('replica-announce-port') || listeningPort));
  const address = settings.text('replica-announce-ip');
  if (address !== '') declare('ip-address', address);
  declare('capa', 'eof', 'capa', 'psync2');
  return requests;
}

/** The reply to PSYNC. */
export type SyncReply =
  | { readonly kind: 'full'; readonly id: string; readonly offset: number }
  | { readonly kind: 'continue'; readonly id: string | undefined }
  | { readonly kind: 'refused' };

export function parseSyncReply(line: string): SyncReply {
  const full = /^\+FULLRESYNC ([0-9a-fA-F]{40}) (\d+)$/.exec(line);
  if (full !== null) return { kind: 'full', id: (full[1] as string).toLowerCase(), offset: Number(full[2]) };
  const continued = /^\+CONTINUE(?: ([0-9a-fA-F]{40}))?$/.exec(line);
  if (continued !== null) return { kind: 'continue', id: continued[1]?.toLowerCase() };
  return { kind: 'refused' };
}
