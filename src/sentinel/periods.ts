/** Lengths of time, in ms. SENTINEL DEBUG shows and changes them, in this order and under these names. */
export const DEFAULT_PERIODS = {
  'info-period': 10_000,
  'ping-period': 1000,
  'ask-period': 1000,
  'publish-period': 2000,
  'default-down-after': 30_000,
  'default-failover-timeout': 180_000,
  'tilt-trigger': 2000,
  'tilt-period': 30_000,
  'slave-reconf-timeout': 10_000,
  'min-link-reconnect-period': 15_000,
  'election-timeout': 10_000,
  'script-max-runtime': 60_000,
  'script-retry-delay': 30_000,
};

export type PeriodName = keyof typeof DEFAULT_PERIODS;
export type Periods = Record<PeriodName, number>;

export function isPeriodName(name: string): name is PeriodName {
  return Object.hasOwn(DEFAULT_PERIODS, name);
}
