import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { pid } from 'node:process';
import type { Settings } from '../../commands/config/settings.js';
import type { LogLevel } from '../../commands/host-port.js';
import { ConfigurationError } from '../configuration/configuration.js';

/**
 * `syslog-enabled`: sends lines to the system's log through the program `logger`, because Node cannot send datagrams to `/dev/log`.
 * One process of it runs; if it ends, the next line starts another, once a second at most.
 */
export class Syslog {
  readonly #parameters: readonly string[];
  readonly #facility: number;
  #logger: ChildProcess | undefined;
  #startedAt = 0;

  constructor(ident: string, facility: string) {
    // With a priority at the beginning of each line.
    this.#parameters = ['--prio-prefix', '--tag', ident, `--id=${pid}`];
    this.#facility = FACILITIES[facility] ?? 0;
  }

  write(level: LogLevel, message: string): void {
    const priority = this.#facility * 8 + PRIORITIES[level];
    this.#running()?.stdin?.write(`<${priority}>${message.replaceAll('\n', ' ')}\n`);
  }

  #running(): ChildProcess | undefined {
    if (this.#logger !== undefined) return this.#logger;
    const now = Date.now();
    if (now - this.#startedAt < RESTART_MS) return undefined;
    this.#startedAt = now;
    const logger = spawn('logger', this.#parameters, { stdio: ['pipe', 'ignore', 'ignore'] });
    const gone = (): void => {
      if (this.#logger === logger) this.#logger = undefined;
    };
    logger.on('error', gone);
    logger.on('exit', gone);
    logger.stdin.on('error', gone);
    logger.unref();
    (logger.stdin as unknown as { unref?(): void }).unref?.();
    this.#logger = logger;
    return logger;
  }
}

/** Throws a ConfigurationError if lines cannot be sent. */
export function checkSyslog(settings: Settings): void {
  if (!settings.isOn('syslog-enabled')) return;
  if (spawnSync('logger', ['--version'], { stdio: 'ignore' }).status === 0) return;
  throw new ConfigurationError(
    "option 'syslog-enabled yes' needs the program logger: install it, or use logfile",
  );
}

const RESTART_MS = 1000;

/** The numbers of syslog(3). */
const PRIORITIES: Readonly<Record<LogLevel, number>> = { debug: 7, verbose: 6, notice: 5, warning: 4 };
const FACILITIES: Readonly<Record<string, number>> = {
  user: 1,
  ...Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`local${i}`, 16 + i])),
};
