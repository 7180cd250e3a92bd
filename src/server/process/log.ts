import { appendFileSync } from 'node:fs';
import { pid } from 'node:process';
import type { FollowSetting } from '../../commands/config/settings.js';
import type { LogLevel } from '../../commands/host-port.js';
import { Syslog } from './syslog.js';

const LEVELS: readonly string[] = ['debug', 'verbose', 'notice', 'warning', 'nothing'];
const MARKS = '.-*#';

/**
 * The server's log, with the lines of redis-server: `17429:M 15 Nov 2026 14:10:42.204 * Ready to accept connections`.
 * Lines of `loglevel` and above are written to standard output or to `logfile`, and to the system's log with `syslog-enabled`.
 */
export class Log {
  /** `M` is a master, `S` a replica, `X` a Sentinel. */
  role = 'M';
  #minRank = 0;
  #file = '';
  #syslog: Syslog | undefined;

  constructor(follow: FollowSetting) {
    follow('loglevel', (level) => {
      this.#minRank = LEVELS.indexOf(level);
    });
    follow('logfile', (path) => {
      this.#file = path;
    });
    let ident = '';
    let facility = '';
    follow('syslog-ident', (text) => {
      ident = text;
    });
    follow('syslog-facility', (text) => {
      facility = text;
    });
    follow('syslog-enabled', (text) => {
      this.#syslog = text === 'yes' ? new Syslog(ident, facility) : undefined;
    });
  }

  write(level: LogLevel, message: string): void {
    const rank = LEVELS.indexOf(level);
    if (rank < this.#minRank) return;
    const line = `${pid}:${this.role} ${timestamp(new Date())} ${MARKS[rank]} ${message}\n`;
    if (this.#file === '') process.stdout.write(line);
    else appendTo(this.#file, line);
    this.#syslog?.write(level, message);
  }
}

/** A log that cannot be written must not end the server. */
function appendTo(path: string, line: string): void {
  try {
    appendFileSync(path, line);
  } catch {
    process.stderr.write(line);
  }
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

function timestamp(at: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const date = `${two(at.getDate())} ${MONTHS[at.getMonth()]} ${at.getFullYear()}`;
  const time = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  return `${date} ${time}.${String(at.getMilliseconds()).padStart(3, '0')}`;
}
