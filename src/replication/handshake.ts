import { Bytes } from '../bytes/bytes.js';
import type { Settings } from '../commands/config/settings.js';
import { encodeRequest } from '../resp/request-encoder.js';

/** A request of latin1 words. */
export function encodeWords(...words: readonly string[]): Buffer {
  return encodeRequest(words.map((word) => Bytes.of(word)));
}

/** Whether this reply to PING comes from a server that can be used. It may require a password first. */
export function isAlive(line: string): boolean {
  return (
    line.startsWith('+') ||
    line.startsWith('-NOAUTH') ||
    line.startsWith('-NOPERM') ||
    line.startsWith('-ERR operation not permitted')
  );
}

/** A request by which a replica introduces itself. `check` returns why the reply ends the handshake. */
export interface HandshakeRequest {
  readonly bytes: Buffer;
  check(line: string, log: (message: string) => void): string | undefined;
}

/** The requests between PING and PSYNC, by which a replica describes itself. Port 0 means that no server can connect to it. */
export function handshakeRequests(settings: Settings, listeningPort: number): HandshakeRequest[] {
  const requests: HandshakeRequest[] = [];
  const password = settings.text('masterauth');
  const user = settings.text('masteruser');
  if (password !== '') {
    requests.push({
      bytes: user === '' ? encodeWords('AUTH', password) : encodeWords('AUTH', user, password),
      check: (line) => (line.startsWith('-') ? `Unable to AUTH to MASTER: ${line}` : undefined),
    });
  }
  const announcedPort = settings.number('replica-announce-port');
  const port = announcedPort === 0 ? listeningPort : announcedPort;
  requests.push(optional('listening-port', String(port)));
  const address = settings.text('replica-announce-ip');
  if (address !== '') requests.push(optional('ip-address', address));
  requests.push(optional('capa', 'eof', 'capa', 'psync2'));
  return requests;
}

/** An old master may not know this request; its error is only logged. */
function optional(...words: readonly string[]): HandshakeRequest {
  return {
    bytes: encodeWords('REPLCONF', ...words),
    check(line, log) {
      if (line.startsWith('-')) {
        log(`(Non critical) Master does not understand REPLCONF ${words[0]}: ${line}`);
      }
      return undefined;
    },
  };
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
