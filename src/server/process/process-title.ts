import { basename } from 'node:path';
import type { Settings } from '../../commands/config/settings.js';

export type ServerMode = 'standalone' | 'cluster' | 'sentinel';

/** `proc-title-template`: the title of this process in process lists, updated when settings change. */
export class ProcessTitle {
  readonly #settings: Settings;
  readonly #mode: ServerMode;
  readonly #show: (title: string) => void;

  constructor(settings: Settings, mode: ServerMode, show: (title: string) => void = showTitle) {
    this.#settings = settings;
    this.#mode = mode;
    this.#show = show;
    if (!settings.isOn('set-proc-title')) return;
    for (const name of ['proc-title-template', 'port', 'tls-port', 'bind'])
      settings.onChange(name, () => this.#apply());
  }

  #apply(): void {
    const values = this.#values;
    const template = this.#settings.text('proc-title-template');
    this.#show(template.replace(/\{([\w-]+)\}/g, (variable, name) => values[name] ?? variable).trim());
  }

  get #values(): Readonly<Record<string, string>> {
    const settings = this.#settings;
    const [address = '*'] = settings.text('bind').split(' ').filter(Boolean);
    const port = settings.text('port');
    const tlsPort = settings.text('tls-port');
    const shownPort = port === '0' ? tlsPort : port;
    const unixsocket = settings.text('unixsocket');
    return {
      title: programTitle(this.#mode, process.argv[1]),
      'listen-addr': shownPort === '0' ? `unixsocket:${unixsocket}` : `${address}:${shownPort}`,
      'server-mode': this.#mode === 'standalone' ? '' : `[${this.#mode}]`,
      'config-file': settings.file ?? '-',
      port,
      'tls-port': tlsPort,
      unixsocket,
    };
  }
}

/** The name under which Redis's programs would have been started, if a link has it; our own otherwise. */
export function programTitle(mode: ServerMode, path = ''): string {
  if (basename(path).startsWith('redis-')) return path;
  return mode === 'sentinel' ? 'sorrel sentinel' : 'sorrel server';
}

function showTitle(title: string): void {
  process.title = title;
}
