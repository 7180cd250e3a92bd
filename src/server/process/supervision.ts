import { execFileSync } from 'node:child_process';
import { env, kill, pid } from 'node:process';
import type { Settings } from '../../commands/config/settings.js';
import { ConfigurationError } from '../configuration/configuration.js';

type Mode = 'no' | 'systemd' | 'upstart';
type Log = (message: string) => void;

/**
 * `supervised`: tells systemd or Upstart when the server is ready and when it ends. systemd's protocol is a datagram to a Unix socket,
 * which Node cannot send: its own program `systemd-notify` does. That is another process, so the unit needs `NotifyAccess=all`.
 */
export class Supervision {
  readonly mode: Mode;
  readonly #log: Log;

  /** Throws a ConfigurationError if no message can be sent to systemd. */
  constructor(settings: Settings, log: Log) {
    this.#log = log;
    this.mode = this.#start(modeOf(settings.text('supervised')));
  }

  #start(mode: Mode): Mode {
    if (mode === 'systemd') {
      if (env.NOTIFY_SOCKET === undefined) {
        this.#log('systemd supervision error: NOTIFY_SOCKET not found!');
        return 'no';
      }
      this.#log(
        'Supervised by systemd. Please make sure you set appropriate values for TimeoutStartSec and TimeoutStopSec in ' +
          'your service unit, and NotifyAccess=all.',
      );
      if (!notify('STATUS=Sorrel is loading...')) {
        throw new ConfigurationError(
          "option 'supervised systemd' needs the program systemd-notify: install it, or set supervised to no and use Type=exec",
        );
      }
    } else if (mode === 'upstart') {
      if (env.UPSTART_JOB === undefined) {
        this.#log('upstart supervision requested, but UPSTART_JOB not found!');
        return 'no';
      }
      this.#log('supervised by upstart, will stop to signal readiness.');
      kill(pid, 'SIGSTOP');
    }
    return mode;
  }

  ready(): void {
    if (this.mode === 'systemd') notify('READY=1', 'STATUS=Ready to accept connections');
  }

  stopping(): void {
    if (this.mode === 'systemd') notify('STOPPING=1');
  }
}

function modeOf(setting: string): Mode {
  if (setting !== 'auto') return setting as Mode;
  if (env.UPSTART_JOB !== undefined) return 'upstart';
  return env.NOTIFY_SOCKET === undefined ? 'no' : 'systemd';
}

/** Returns false if the message could not be sent. */
function notify(...messages: readonly string[]): boolean {
  try {
    execFileSync('systemd-notify', [`--pid=${pid}`, ...messages], { stdio: 'ignore', timeout: NOTIFY_MS });
    return true;
  } catch {
    return false;
  }
}

const NOTIFY_MS = 5000;
