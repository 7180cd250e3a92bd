import type { EnginePort } from '../../engine-port.js';
import type { Command } from '../../table.js';
import type { Fields } from './figures.js';

/** Every command that can be called: subcommands, and commands that are not just containers. */
export function* callableCommands(engine: EnginePort): IterableIterator<Command> {
  for (const command of engine.table) {
    yield command;
    yield* command.subcommands ?? [];
  }
}

export function commandStats(engine: EnginePort): Fields {
  const { statistics } = engine;
  const fields: Fields = [];
  for (const { id, fullName } of callableCommands(engine)) {
    const calls = statistics.calls(id);
    const rejected = statistics.rejected(id);
    const failed = statistics.failed(id);
    if (calls === 0 && rejected === 0 && failed === 0) continue;
    const micros = statistics.micros(id);
    const each = calls === 0 ? 0 : micros / calls;
    const times = `calls=${calls},usec=${micros},usec_per_call=${each.toFixed(2)}`;
    fields.push([`cmdstat_${fullName}`, `${times},rejected_calls=${rejected},failed_calls=${failed}`]);
  }
  return fields;
}

export function errorStats(engine: EnginePort): Fields {
  return [...engine.statistics.errors]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, count]) => [`errorstat_${code}`, `count=${count}`]);
}

export function latencyStats(engine: EnginePort): Fields {
  const shares = engine.settings.text('latency-tracking-info-percentiles').split(' ').filter(Boolean);
  const fields: Fields = [];
  if (!engine.settings.isOn('latency-tracking')) return fields;
  for (const { id, fullName } of callableCommands(engine)) {
    const latencies = engine.statistics.latencies(id);
    if (latencies === undefined) continue;
    const values = shares.map((share) => {
      return `p${share}=${(latencies.percentile(Number(share)) / 1000).toFixed(3)}`;
    });
    fields.push([`latency_percentiles_usec_${fullName}`, values.join(',')]);
  }
  return fields;
}
