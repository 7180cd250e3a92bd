/** Constants that the processes of rate-limiter.test.ts share. */
export const ALGORITHMS = ['sliding-window', 'token-bucket', 'gcra', 'fixed-window'] as const;
export const LIMIT = 20;
export const PER_MS = 250;
