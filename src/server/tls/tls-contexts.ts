import { X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSecureContext, type SecureContextOptions, type TlsOptions } from 'node:tls';
import type { Settings } from '../../commands/config/settings.js';
import type { ServerTls } from '../../commands/config/tls-options.js';
import { attempt, cipherOptions, keyExchangeOptions, protocolOptions, TlsError } from './tls-negotiation.js';

/** Options of Node's TLS for clients that connect here, and for connections to a master. */
export interface TlsContexts {
  readonly server: TlsOptions;
  readonly client: SecureContextOptions;
}

/** A text, and the name of its file for error messages. */
interface Material {
  readonly bytes: Buffer;
  readonly name: string;
}

/**
 * Reads and checks all files that the `tls-` settings name, in Redis's order. A program may give the server's certificate and
 * key itself; files override them. Throws a TlsError.
 */
export function tlsContexts(settings: Settings, given: ServerTls | undefined, auth: string): TlsContexts {
  const certFile = settings.text('tls-cert-file');
  const keyFile = settings.text('tls-key-file');
  if (certFile === '' && given === undefined) throw new TlsError('No tls-cert-file configured!');
  if (keyFile === '' && given === undefined) throw new TlsError('No tls-key-file configured!');
  const hasAuthorities =
    settings.text('tls-ca-cert-file') !== '' ||
    settings.text('tls-ca-cert-dir') !== '' ||
    given?.ca !== undefined;
  const verifies = auth !== 'no' || settings.isOn('tls-replication') || settings.isOn('tls-cluster');
  if (verifies && !hasAuthorities) {
    throw new TlsError(
      'Either tls-ca-cert-file or tls-ca-cert-dir must be specified when tls-cluster, tls-replication or ' +
        'tls-auth-clients are enabled!',
    );
  }
  const common = { ...protocolOptions(settings.text('tls-protocols')), sessionIdContext: 'redis' };
  const identity = identityOf(
    certificate(certFile, given?.cert),
    privateKey(keyFile, given?.key),
    keyFile === '' ? (given?.passphrase ?? '') : settings.text('tls-key-file-pass'),
  );
  const shared = {
    ...common,
    ...(hasAuthorities ? { ca: authorities(settings, given) } : {}),
    ...cipherOptions(settings.text('tls-ciphers'), settings.text('tls-ciphersuites')),
  };
  const server = {
    ...shared,
    ...identity,
    ...keyExchangeOptions(settings.text('tls-dh-params-file')),
    honorCipherOrder: settings.isOn('tls-prefer-server-ciphers'),
    sessionTimeout: settings.isOn('tls-session-caching')
      ? settings.number('tls-session-cache-timeout')
      : TICKET_SECONDS,
  };
  return { server, client: { ...shared, ...(clientIdentity(settings) ?? identity) } };
}

/** `tls-client-cert-file` and `tls-client-key-file`; without them, connections to a master show the server's certificate. */
function clientIdentity(settings: Settings): SecureContextOptions | undefined {
  const certFile = settings.text('tls-client-cert-file');
  const keyFile = settings.text('tls-client-key-file');
  if (certFile === '' || keyFile === '') return undefined;
  return identityOf(certificate(certFile), privateKey(keyFile), settings.text('tls-client-key-file-pass'));
}

function certificate(file: string, given?: string | Uint8Array): Material {
  return material('Failed to load certificate', file, given);
}

function privateKey(file: string, given?: string | Uint8Array): Material {
  return material('Failed to load private key', file, given);
}

function material(failure: string, file: string, given: string | Uint8Array | undefined): Material {
  if (file === '' && given !== undefined) return { bytes: Buffer.from(given as string), name: 'as given' };
  return { bytes: attempt(`${failure}: ${file}`, () => readFileSync(file)), name: file };
}

function identityOf(cert: Material, key: Material, passphrase: string): SecureContextOptions {
  attempt(`Failed to load certificate: ${cert.name}`, () => createSecureContext({ cert: cert.bytes }));
  const identity = { cert: cert.bytes, key: key.bytes, ...(passphrase === '' ? {} : { passphrase }) };
  attempt(`Failed to load private key: ${key.name}`, () => createSecureContext(identity));
  return identity;
}

/**
 * The certificates of `tls-ca-cert-file` and `tls-ca-cert-dir`. OpenSSL finds those of a folder by their names, which c_rehash makes:
 * the hash of the subject, and a number.
 */
function authorities(settings: Settings, given: ServerTls | undefined): Buffer[] {
  const file = settings.text('tls-ca-cert-file');
  const folder = settings.text('tls-ca-cert-dir');
  const failure = 'Failed to configure CA certificate(s) file/directory';
  const found: Buffer[] = [];
  if (file !== '') found.push(...attempt(failure, () => certificatesIn(readFileSync(file), file)));
  else if (given?.ca !== undefined) {
    const bytes = Buffer.from(given.ca as string);
    found.push(...attempt(failure, () => certificatesIn(bytes, 'as given')));
  }
  if (folder === '') return found;
  // As in OpenSSL, a folder that does not exist has no certificates.
  const names = attemptOr([], () => readdirSync(folder)).filter((name) => /^[0-9a-f]{8}\.\d+$/.test(name));
  for (const name of names)
    found.push(...attemptOr([], () => certificatesIn(readFileSync(join(folder, name)), name)));
  return found;
}

/** Node ignores what it cannot read in a text of authorities: check each certificate. */
function certificatesIn(bytes: Buffer, name: string): Buffer[] {
  const blocks = bytes.toString('latin1').match(CERTIFICATE) ?? [];
  if (blocks.length === 0) throw new Error(`no certificate found in ${name}`);
  return blocks.map((block) => {
    new X509Certificate(block);
    return Buffer.from(block, 'latin1');
  });
}

function attemptOr<T>(otherwise: T, work: () => T): T {
  try {
    return work();
  } catch {
    return otherwise;
  }
}

const CERTIFICATE =
  /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[^-]*-----END (?:X509 |TRUSTED )?CERTIFICATE-----/g;

/** OpenSSL's default lifetime of a session, which tickets have without a cache. */
const TICKET_SECONDS = 7200;
