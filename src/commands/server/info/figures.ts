import type { EnginePort } from '../../engine-port.js';

/** Lines of one section: name and value. */
export type Fields = (readonly [name: string, value: string | number])[];

/** Fields with a constant value in an engine on its own. Other parts of the server provide the real values (`facts`). */
export function constants(engine: EnginePort, values: Readonly<Record<string, string | number>>): Fields {
  return Object.entries(values).map(([name, value]) => [name, engine.facts.get(name)?.() ?? value]);
}

/** The field's value from the part that provides it, or `otherwise`. */
export function fact(engine: EnginePort, name: string, otherwise: string | number): string | number {
  return engine.facts.get(name)?.() ?? otherwise;
}

/** `redis_mode`: standalone, cluster or sentinel. */
export function serverMode(engine: EnginePort): string {
  return String(fact(engine, 'redis_mode', engine.cluster === undefined ? 'standalone' : 'cluster'));
}

/** A quotient with two decimals; 0.00 if the divisor is 0. */
export function ratio(part: number, whole: number): string {
  return (whole === 0 ? 0 : part / whole).toFixed(2);
}

export function percent(part: number, whole: number): string {
  return `${ratio(part * 100, whole)}%`;
}
