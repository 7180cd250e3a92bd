/** What the page knows about the store from the start. */
export interface SessionInfo {
  readonly title: string;
  readonly kind: 'embedded' | 'standalone' | 'sentinel' | 'cluster';
  readonly readOnly: boolean;
  /** The servers that have keys. */
  readonly servers: readonly string[];
  /** `Redis 7.0.15`, `Sorrel 0.1` … */
  readonly product: string;
}
