import type { Endpoint, TlsChoices } from '../wire/connect.js';
import { utf8Of } from '../wire/request.js';

/** The server to connect to and who connects, as `cli` and `benchmark` take it. */
export interface ServerOptions {
  readonly endpoint: Endpoint;
  /** latin1, like all that is sent. */
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: number;
}

/** The command line is wrong; the message is for the user as it stands. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  /** The message goes to standard output, not to standard error. */
  readonly isOutput: boolean;

  constructor(message: string, { isOutput = false }: { readonly isOutput?: boolean } = {}) {
    super(message);
    this.isOutput = isOutput;
  }
}

/** Parameters one after the other; all are latin1, one byte per character, as they will be sent. */
export class ParameterReader {
  readonly #parameters: readonly string[];
  #next = 0;

  constructor(parameters: readonly string[]) {
    this.#parameters = parameters;
  }

  get isAtEnd(): boolean {
    return this.#next >= this.#parameters.length;
  }

  get remaining(): number {
    return this.#parameters.length - this.#next;
  }

  peek(): string {
    return this.#parameters[this.#next] as string;
  }

  take(): string {
    return this.#parameters[this.#next++] as string;
  }

  /** The value of the option just taken. */
  value(option: string): string {
    if (this.isAtEnd) throw unrecognized(option);
    return this.take();
  }

  rest(): string[] {
    const rest = this.#parameters.slice(this.#next);
    this.#next = this.#parameters.length;
    return rest;
  }
}

export function unrecognized(option: string): UsageError {
  return new UsageError(`Unrecognized option or bad number of args for: '${option}'`);
}

/** Collects the options that concern the connection; they are the same for all tools. */
export class ServerOptionsBuilder {
  host = '127.0.0.1';
  port = 6379;
  path: string | undefined;
  user: string | undefined;
  password: string | undefined;
  /** The password was given on the command line, where others may see it. */
  isPasswordVisible = false;
  database = 0;
  #isTls = false;
  readonly #tls: { -readonly [Name in keyof TlsChoices]: TlsChoices[Name] } = {};

  /** Takes the option if it is one of the connection's; otherwise returns false. */
  take(option: string, parameters: ParameterReader): boolean {
    switch (option) {
      case '-h':
        this.host = utf8Of(parameters.value(option));
        return true;
      case '-p':
        this.port = portOf(parameters.value(option));
        return true;
      case '-s':
        this.path = utf8Of(parameters.value(option));
        return true;
      case '-a':
      case '--pass':
        this.password = parameters.value(option);
        this.isPasswordVisible = true;
        return true;
      case '--user':
        this.user = parameters.value(option);
        return true;
      case '-u':
        this.#takeUri(parameters.value(option));
        return true;
      case '--tls':
        this.#isTls = true;
        return true;
      case '--insecure':
        this.#tls.insecure = true;
        return true;
      case '--sni':
      case '--cacert':
      case '--cacertdir':
      case '--cert':
      case '--key':
        this.#tls[option.slice(2) as 'sni'] = utf8Of(parameters.value(option));
        return true;
      case '--tls-ciphers':
      case '--tls-ciphersuites':
        this.#tls[option.slice(6) as 'ciphers'] = parameters.value(option);
        return true;
      default:
        return false;
    }
  }

  build(): ServerOptions {
    return {
      endpoint: {
        host: this.host,
        port: this.port,
        path: this.path,
        tls: this.#isTls ? this.#tls : undefined,
      },
      user: this.user,
      password: this.password,
      database: this.database,
    };
  }

  /** `redis://user:password@host:port/database`; each part may be absent, and then stays as it was. */
  #takeUri(uri: string): void {
    const [, scheme, rest = ''] = /^(rediss?):\/\/(.*)$/s.exec(uri) ?? [];
    if (scheme === undefined) throw new UsageError('Invalid URI scheme');
    if (scheme === 'rediss') this.#isTls = true;
    const at = rest.indexOf('@');
    if (at >= 0) this.#takeUserinfo(rest.slice(0, at));
    const [, host = '', port, path = ''] =
      /^(\[[^\]]*\]|[^:/]*)(?::([^/]*))?(?:\/(.*))?$/s.exec(rest.slice(at + 1)) ?? [];
    if (host !== '') this.host = host.replace(/^\[(.*)\]$/s, '$1');
    if (port !== undefined) this.port = portOf(port);
    if (path !== '') this.database = leadingInteger(path);
  }

  #takeUserinfo(userinfo: string): void {
    const colon = userinfo.indexOf(':');
    if (colon > 0) this.user = percentDecoded(userinfo.slice(0, colon));
    this.password = percentDecoded(userinfo.slice(colon + 1));
    this.isPasswordVisible = true;
  }
}

function percentDecoded(text: string): string {
  if (/%(?![0-9a-f]{2})/i.test(text)) throw new UsageError('Illegal character in URI encoding');
  return text.replace(/%([0-9a-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

function portOf(text: string): number {
  const port = leadingInteger(text);
  if (port < 0 || port > 65535) throw new UsageError('Invalid server port.');
  return port;
}

/** As C reads it: the digits that the text begins with, otherwise 0. */
export function leadingInteger(text: string): number {
  return Number(/^\s*[-+]?\d+/.exec(text)?.[0] ?? 0);
}

/** As C reads it: the number that the text begins with, otherwise 0. */
export function leadingNumber(text: string): number {
  return Number(/^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?/i.exec(text)?.[0] ?? 0);
}
