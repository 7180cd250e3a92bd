/** The Redis version whose behaviour this is, as clients read it from INFO and HELLO. */
export const REDIS_VERSION = '7.0.15';

/** Our own version. */
export const SORREL_VERSION = '0.1.0';
