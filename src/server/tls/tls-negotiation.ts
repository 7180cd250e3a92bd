import { constants } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { systemReason } from '../../persistence/system-error.js';

/** Why TLS cannot be configured: a line for the log. */
export class TlsError extends Error {}

/** Runs the function; an error becomes a TlsError that begins with `failure`. */
export function attempt<T>(failure: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new TlsError(`${failure}: ${systemReason(error)}`);
  }
}

/** The option of OpenSSL that excludes a version. */
const EXCLUSIONS: Readonly<Record<string, number>> = {
  tlsv1: constants.SSL_OP_NO_TLSv1,
  'tlsv1.1': constants.SSL_OP_NO_TLSv1_1,
  'tlsv1.2': constants.SSL_OP_NO_TLSv1_2,
  'tlsv1.3': constants.SSL_OP_NO_TLSv1_3,
};

const DEFAULT_VERSIONS = ['tlsv1.2', 'tlsv1.3'];

/** `tls-protocols`: versions of TLS, separated by spaces. */
export function protocolOptions(text: string): SecureContextOptions {
  const versions = text === '' ? DEFAULT_VERSIONS : text.toLowerCase().split(' ');
  if (!versions.every((version) => Object.hasOwn(EXCLUSIONS, version))) {
    throw new TlsError(
      "Invalid tls-protocols specified. Use a combination of 'TLSv1', 'TLSv1.1', 'TLSv1.2' and 'TLSv1.3'.",
    );
  }
  let secureOptions = 0;
  for (const [version, bit] of Object.entries(EXCLUSIONS)) {
    if (!versions.includes(version)) secureOptions |= bit;
  }
  return { minVersion: 'TLSv1', maxVersion: 'TLSv1.3', secureOptions };
}

/**
 * `tls-ciphers` (up to TLS 1.2) and `tls-ciphersuites` (TLS 1.3). Node takes both lists as one, and tells them apart by the prefix
 * `TLS_` of suites.
 */
export function cipherOptions(ciphers: string, suites: string): SecureContextOptions {
  const older = ciphers.split(':').filter((name) => name !== '' && !name.startsWith('TLS_'));
  const newer = suites.split(':').filter((name) => name !== '');
  const ciphersFailure = `Failed to configure ciphers: ${ciphers}`;
  const suitesFailure = `Failed to configure ciphersuites: ${suites}`;
  if (ciphers !== '') {
    if (older.length === 0) throw new TlsError(ciphersFailure);
    attempt(ciphersFailure, () => createSecureContext({ ciphers: older.join(':') }));
  }
  if (suites !== '') {
    if (!newer.every((name) => name.startsWith('TLS_'))) throw new TlsError(suitesFailure);
    attempt(suitesFailure, () => createSecureContext({ ciphers: newer.join(':') }));
  }
  if (ciphers === '' && suites === '') return {};
  return { ciphers: [...newer, ...(older.length > 0 ? older : ['DEFAULT'])].join(':') };
}

/** `tls-dh-params-file`: without it, no cipher with Diffie-Hellman over finite fields can be agreed on. */
export function keyExchangeOptions(file: string): SecureContextOptions {
  if (file === '') return {};
  const dhparam = attempt(`Failed to load ${file}`, () => readFileSync(file));
  if (!hasGroup(dhparam.toString('latin1'))) throw new TlsError(`${file}: failed to read DH params.`);
  return { dhparam };
}

/** Whether the text has a prime and a generator. Node ignores parameters that it cannot read. */
function hasGroup(pem: string): boolean {
  const [, base64 = ''] = DH_PARAMETERS.exec(pem) ?? [];
  const bytes = Buffer.from(base64, 'base64');
  const list = derElement(bytes, 0);
  if (list?.tag !== DER_SEQUENCE || list.end !== bytes.length) return false;
  const prime = derElement(bytes, list.start);
  const generator = derElement(bytes, prime?.end ?? bytes.length);
  const isLong = prime !== undefined && prime.end - prime.start >= MIN_PRIME_BYTES;
  return isLong && prime.tag === DER_INTEGER && generator?.tag === DER_INTEGER;
}

/** The element of DER at an offset: its tag, and where its content starts and ends; undefined if it is not complete. */
function derElement(
  bytes: Buffer,
  at: number,
): { readonly tag: number; readonly start: number; readonly end: number } | undefined {
  if (at + 2 > bytes.length) return undefined;
  const tag = bytes.readUInt8(at);
  const short = bytes.readUInt8(at + 1);
  const lengthBytes = short < 0x80 ? 0 : short & 0x7f;
  const start = at + 2 + lengthBytes;
  if (lengthBytes > 4 || start > bytes.length) return undefined;
  const end = start + (lengthBytes === 0 ? short : bytes.readUIntBE(at + 2, lengthBytes));
  return end > bytes.length ? undefined : { tag, start, end };
}

const DH_PARAMETERS = /-----BEGIN (?:X9\.42 )?DH PARAMETERS-----([^-]*)-----END/;
const DER_INTEGER = 0x02;
const DER_SEQUENCE = 0x30;
/** OpenSSL accepts no prime of less than 1024 bits. */
const MIN_PRIME_BYTES = 128;
