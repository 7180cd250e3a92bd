/** Why something was refused. */
export type DenialReason = 'command' | 'key' | 'channel' | 'auth';

/** Where the command came from. */
export type DenialContext = 'toplevel' | 'multi' | 'lua';

export interface Denial {
  readonly reason: DenialReason;
  readonly context: DenialContext;
  /** The command, key or channel, as latin1 text. */
  readonly object: string;
  readonly user: string;
  /** The line of CLIENT LIST for the client. */
  readonly client: string;
}

export interface LoggedDenial {
  readonly denial: Denial;
  /** How often it happened. */
  readonly count: number;
  /** When it happened last, in Unix ms. */
  readonly time: number;
}

/** ACL LOG: what was refused, newest first. The same thing within a minute is counted instead of added. */
export class AccessLog {
  maxLength = 0;
  #entries: LoggedDenial[] = [];

  get length(): number {
    return this.#entries.length;
  }

  /** Newest first. */
  entries(max: number): readonly LoggedDenial[] {
    return this.#entries.slice(0, max);
  }

  add(denial: Denial, time: number): void {
    const entries = this.#entries;
    const known = entries.findIndex((entry, i) => i < MAX_COMPARED && isSame(entry, denial, time));
    if (known < 0) {
      entries.unshift({ denial, count: 1, time });
      entries.length = Math.min(entries.length, this.maxLength);
      return;
    }
    const [entry] = entries.splice(known, 1);
    entries.unshift({ denial, count: (entry as LoggedDenial).count + 1, time });
  }

  clear(): void {
    this.#entries = [];
  }
}

function isSame(entry: LoggedDenial, { reason, context, object, user }: Denial, time: number): boolean {
  const { denial } = entry;
  return (
    denial.reason === reason &&
    denial.context === context &&
    denial.object === object &&
    denial.user === user &&
    Math.abs(time - entry.time) <= GROUPED_MS
  );
}

/** Only this many entries are compared. */
const MAX_COMPARED = 10;
const GROUPED_MS = 60_000;
