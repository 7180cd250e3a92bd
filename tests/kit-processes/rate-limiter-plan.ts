/** What the processes of the rate limiter's test agree on. */
export const ALGORITHMS = ['sliding-window', 'token-bucket', 'gcra', 'fixed-window'] as const;
export const LIMIT = 20;
export const PER_MS = 250;
