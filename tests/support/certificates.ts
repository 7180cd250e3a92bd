import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Why certificates cannot be made here; undefined if they can. */
export const noOpensslReason =
  spawnSync('openssl', ['version']).status === 0 ? undefined : 'openssl is not installed';

/** A certificate and its key, as files and as text. */
export interface Identity {
  readonly certFile: string;
  readonly keyFile: string;
  readonly cert: string;
  readonly key: string;
}

interface IssueOptions {
  /** The number of days until it expires; a negative one has passed. */
  readonly days?: number;
  readonly kind?: 'ec' | 'rsa';
  /** Encrypts the key. */
  readonly passphrase?: string;
}

/** A folder of certificates for one test, made with the program `openssl`. */
export class Certificates {
  readonly folder = mkdtempSync(join(tmpdir(), 'sorrel-certificates-'));
  readonly authority: Identity;
  #count = 0;

  constructor() {
    this.authority = this.newAuthority('authority');
  }

  newAuthority(name: string): Identity {
    const { certFile, keyFile } = this.#files(name);
    this.#makeKey(keyFile, {});
    openssl('req', '-x509', '-new', '-key', keyFile, '-subj', `/CN=${name}`, '-days', '10', '-out', certFile);
    return identity(certFile, keyFile);
  }

  /** A certificate for `localhost` and 127.0.0.1 with this common name. */
  issue(name: string, options: IssueOptions = {}, authority = this.authority): Identity {
    const { certFile, keyFile } = this.#files(name);
    const request = `${certFile}.csr`;
    this.#makeKey(keyFile, options);
    const pass = options.passphrase === undefined ? [] : ['-passin', `pass:${options.passphrase}`];
    const names = ['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
    openssl('req', '-new', '-key', keyFile, ...pass, '-subj', `/CN=${name}`, ...names, '-out', request);
    const signed = ['-req', '-in', request, '-copy_extensions', 'copy', '-days', String(options.days ?? 5)];
    const by = ['-CA', authority.certFile, '-CAkey', authority.keyFile, '-set_serial', String(++this.#count)];
    openssl('x509', ...signed, ...by, '-out', certFile);
    return identity(certFile, keyFile);
  }

  #files(name: string): { certFile: string; keyFile: string } {
    const path = join(this.folder, `${name}-${++this.#count}`);
    return { certFile: `${path}.crt`, keyFile: `${path}.key` };
  }

  #makeKey(file: string, { kind = 'ec', passphrase }: IssueOptions): void {
    const algorithm =
      kind === 'ec' ? ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256'] : ['-algorithm', 'RSA'];
    const encryption = passphrase === undefined ? [] : ['-aes256', '-pass', `pass:${passphrase}`];
    openssl('genpkey', ...algorithm, ...encryption, '-out', file);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export function openssl(...parameters: readonly string[]): string {
  return execFileSync('openssl', parameters, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

function identity(certFile: string, keyFile: string): Identity {
  return {
    certFile,
    keyFile,
    cert: readFileSync(certFile, 'utf8'),
    key: readFileSync(keyFile, 'utf8'),
  };
}
