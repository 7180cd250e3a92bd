/** Certificates and keys are PEM: the text itself, not the name of a file. */
type Pem = string | Uint8Array;

/** TLS of a server, in the form for programs. */
export interface ServerTls {
  /** The server's certificate, followed by those of intermediate authorities. */
  readonly cert: Pem;
  /** Its private key. */
  readonly key: Pem;
  /** The password of the private key, if it is encrypted. */
  readonly passphrase?: string;
  /** Certificates of the authorities whose clients are accepted; several may follow each other in one text. */
  readonly ca?: Pem;
  /**
   * Whether clients must show a certificate of `ca`. `optional` accepts clients without one and refuses an invalid one. Default:
   * `required` if there is a `ca`, otherwise `ignored`.
   */
  readonly clientCertificates?: 'required' | 'optional' | 'ignored';
}

/** TLS of a connection to a server, in the form for programs. */
export interface ClientTls {
  /** Certificates of the authorities that sign the servers' certificates. Default: those that Node trusts. */
  readonly ca?: Pem;
  /** The client's certificate, if the server asks for one. */
  readonly cert?: Pem;
  /** Its private key. */
  readonly key?: Pem;
  /** The password of the private key, if it is encrypted. */
  readonly passphrase?: string;
  /** The name that the server's certificate must have. Default: the host of the address. */
  readonly servername?: string;
  /** With `false`, the server's certificate is not checked: anyone between client and server can read and change everything. */
  readonly rejectUnauthorized?: boolean;
}

/** The value of `tls-auth-clients` for an option of a program. */
export function clientAuthOf({ ca, clientCertificates }: ServerTls): 'yes' | 'no' | 'optional' {
  switch (clientCertificates) {
    case 'required':
      return 'yes';
    case 'optional':
      return 'optional';
    case 'ignored':
      return 'no';
    case undefined:
      return ca === undefined ? 'no' : 'yes';
    default:
      throw new TypeError(
        `tls.clientCertificates must be 'required', 'optional' or 'ignored', not ${String(clientCertificates)}`,
      );
  }
}
