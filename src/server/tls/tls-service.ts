import type { ConnectionOptions, SecureContextOptions, TlsOptions } from 'node:tls';
import { SettingError } from '../../commands/config/kinds.js';
import type { FollowSetting, Settings } from '../../commands/config/settings.js';
import { clientAuthOf, type ServerTls } from '../../commands/config/tls-options.js';
import type { ConnectionHost } from '../connections/connection.js';
import { type ClientAuth, TlsAcceptor } from './tls-acceptor.js';
import { type TlsContexts, tlsContexts } from './tls-contexts.js';
import { TlsError } from './tls-negotiation.js';

/**
 * The TLS of a server. Certificates are read at the start if TLS is used, and again when a `tls-` setting is set, also to the same
 * name. If they cannot be used, the former ones stay.
 */
export class TlsService {
  readonly acceptor: TlsAcceptor;
  readonly #settings: Settings;
  readonly #log: (message: string) => void;
  /** The certificate and key that the program gave. */
  #given: ServerTls | undefined;
  /** Whether the settings decide which clients need certificates; otherwise `#given` does. */
  readonly #followsSettings: boolean;
  #contexts: TlsContexts | undefined;
  #isStarted = false;

  constructor(
    host: ConnectionHost,
    role: 'owner' | 'guest',
    follow: FollowSetting,
    log: (message: string) => void,
  ) {
    this.acceptor = new TlsAcceptor(host);
    this.#settings = host.engine.settings;
    this.#followsSettings = role === 'owner';
    this.#log = log;
    const reload = (): void => this.#reload();
    for (const name of RELOADING) follow(name, reload);
    follow('tls-auth-clients', () => this.#configureAcceptor());
  }

  /** Whether a setting needs certificates. */
  get #isUsed(): boolean {
    const settings = this.#settings;
    return (
      settings.number('tls-port') !== 0 || settings.isOn('tls-replication') || settings.isOn('tls-cluster')
    );
  }

  /**
   * From now on, changes of settings are applied. A certificate that the program gives replaces the files of the settings. Throws a
   * TlsError if TLS is used and cannot be configured.
   */
  start(given?: ServerTls): void {
    if (this.#isStarted) return;
    this.#given = given;
    if (this.#isUsed || given !== undefined) this.#load();
    this.#isStarted = true;
  }

  /** For `tls-port`: reads the certificates unless they were read before. Throws a SettingError. */
  prepare(): void {
    if (this.#contexts === undefined) this.#loadForSetting();
  }

  /** For connections to a master: undefined if they do not use TLS. */
  get masterOptions(): ConnectionOptions | undefined {
    if (!this.#settings.isOn('tls-replication')) return undefined;
    if (this.#contexts === undefined) throw new Error('TLS is used before it is configured');
    // As in Redis, any certificate of the authorities is accepted, whatever host it names.
    return { ...this.#contexts.client, checkServerIdentity: () => undefined };
  }

  /** For connections between nodes of a cluster: undefined if they do not use TLS. Both sides show certificates. */
  get busOptions(): { readonly server: TlsOptions; readonly client: ConnectionOptions } | undefined {
    if (!this.#settings.isOn('tls-cluster')) return undefined;
    if (this.#contexts === undefined) throw new Error('TLS is used before it is configured');
    const { server, client } = this.#contexts;
    return {
      server: { ...server, requestCert: true, rejectUnauthorized: true },
      client: { ...client, checkServerIdentity: () => undefined },
    };
  }

  /** For connections of MIGRATE, which use TLS as those between nodes do. Only data, so that a thread can get it. */
  get peerOptions(): SecureContextOptions | undefined {
    return this.#settings.isOn('tls-cluster') ? this.#contexts?.client : undefined;
  }

  #reload(): void {
    if (this.#isStarted && this.#isUsed) this.#loadForSetting();
  }

  #loadForSetting(): void {
    try {
      this.#load();
    } catch (error) {
      if (!(error instanceof TlsError)) throw error;
      this.#log(error.message);
      throw new SettingError('Unable to update TLS configuration. Check server logs.');
    }
  }

  #load(): void {
    this.#contexts = tlsContexts(this.#settings, this.#given, this.#auth);
    this.#configureAcceptor();
  }

  #configureAcceptor(): void {
    const contexts = this.#contexts;
    if (contexts === undefined) return;
    const settings = this.#settings;
    const cacheSize = settings.isOn('tls-session-caching')
      ? settings.number('tls-session-cache-size')
      : undefined;
    this.acceptor.configure({ contexts, auth: this.#auth, cacheSize });
  }

  get #auth(): ClientAuth {
    if (this.#given !== undefined && !this.#followsSettings) return clientAuthOf(this.#given);
    return this.#settings.text('tls-auth-clients') as ClientAuth;
  }
}

/** Settings with which everything is read again. */
const RELOADING = [
  'tls-replication',
  'tls-cluster',
  'tls-cert-file',
  'tls-key-file',
  'tls-key-file-pass',
  'tls-client-cert-file',
  'tls-client-key-file',
  'tls-client-key-file-pass',
  'tls-dh-params-file',
  'tls-ca-cert-file',
  'tls-ca-cert-dir',
  'tls-protocols',
  'tls-ciphers',
  'tls-ciphersuites',
  'tls-prefer-server-ciphers',
  'tls-session-caching',
  'tls-session-cache-size',
  'tls-session-cache-timeout',
];
