import type { EnginePort } from '../../engine-port.js';

/** Lines of one section: name and value. */
export type Fields = (readonly [name: string, value: string | number])[];

/** Fields for which an engine on its own always has the same value; other parts of the server know better (`facts`). */
export function constants(engine: EnginePort, values: Readonly<Record<string, string | number>>): Fields {
  return Object.entries(values).map(([name, value]) => [name, engine.facts.get(name)?.() ?? value]);
}

/** The field's value from the part that has it, or `otherwise`. */
export function fact(engine: EnginePort, name: string, otherwise: string | number): string | number {
  return engine.facts.get(name)?.() ?? otherwise;
}

/** A quotient with two decimals; 0.00 where there is nothing to divide by. */
export function ratio(part: number, whole: number): string {
  return (whole === 0 ? 0 : part / whole).toFixed(2);
}

export function percent(part: number, whole: number): string {
  return `${ratio(part * 100, whole)}%`;
}
