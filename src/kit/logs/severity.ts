/** From the least to the most serious. */
export const SEVERITIES = ['debug', 'info', 'warning', 'error', 'critical'] as const;

export type Severity = (typeof SEVERITIES)[number];

/** The first level of pino above each severity. */
const ABOVE: readonly (readonly [level: number, severity: Severity])[] = [
  [30, 'debug'],
  [40, 'info'],
  [50, 'warning'],
  [60, 'error'],
];

const LABELS: Readonly<Record<string, Severity>> = {
  trace: 'debug',
  debug: 'debug',
  info: 'info',
  warn: 'warning',
  warning: 'warning',
  error: 'error',
  fatal: 'critical',
  critical: 'critical',
};

/** The severity of a level of pino: a number, or a label such as `warn`. */
export function severityOf(level: unknown): Severity {
  if (typeof level === 'number') return ABOVE.find(([above]) => level < above)?.[1] ?? 'critical';
  return LABELS[String(level).toLowerCase()] ?? 'info';
}
