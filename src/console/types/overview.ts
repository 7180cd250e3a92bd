/** The figures of one moment, summed over all servers; rates are per second since the moment before. */
export interface Sample {
  /** Unix time in ms. */
  readonly at: number;
  readonly commands: number;
  /** Of the commands since the moment before, in µs; null if there were none or the server does not tell. */
  readonly p50: number | null;
  readonly p99: number | null;
  readonly memory: number;
  readonly maxMemory: number;
  readonly resident: number;
  readonly clients: number;
  readonly blocked: number;
  readonly keys: number;
  readonly hits: number;
  readonly misses: number;
  readonly received: number;
  readonly sent: number;
  readonly expired: number;
  readonly evicted: number;
}

export interface ServerSummary {
  readonly name: string;
  readonly version: string;
  readonly role: string;
  readonly uptime: number;
  readonly memory: number;
  readonly keys: number;
  readonly clients: number;
}

/** Everything of the overview that does not change each second. */
export interface OverviewState {
  readonly servers: readonly ServerSummary[];
  readonly warnings: readonly Warning[];
}

/** Something about a server that a person should know. `text` is a key of the page's texts, `values` fills it in. */
export interface Warning {
  readonly server: string;
  readonly level: 'serious' | 'notice';
  readonly text: string;
  readonly values: Readonly<Record<string, string | number>>;
}
