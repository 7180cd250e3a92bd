/** Converts the replies of geo, scripting and server commands. */
import type { Shape } from '../value.js';
import { double, list, pairs, type RawReply, record, word } from './replies.js';

export interface Position {
  readonly longitude: number;
  readonly latitude: number;
}

/** A member that was found. Fields that were not requested are absent. */
export interface FoundPlace<S extends Shape> {
  readonly member: S['text'];
  /** In the unit of the search. */
  readonly distance?: number;
  readonly hash?: S['integer'];
  readonly position?: Position;
}

export function positions(reply: RawReply): (Position | null)[] {
  return list(reply).map((each) => (each === null ? null : position(each)));
}

function position(reply: RawReply): Position {
  const [longitude, latitude] = list(reply);
  return { longitude: double(longitude), latitude: double(latitude) };
}

/** GEOSEARCH WITH…: requested values come in the order distance, hash, position. Their types differ. */
export function places<S extends Shape>(reply: RawReply): FoundPlace<S>[] {
  return list(reply).map((each) => {
    const [member, ...rest] = list(each);
    const place: { -readonly [Field in keyof FoundPlace<S>]: FoundPlace<S>[Field] } = {
      member: member as S['text'],
    };
    for (const value of rest) {
      if (Array.isArray(value)) place.position = position(value);
      else if (typeof value === 'number' || typeof value === 'bigint') place.hash = value as S['integer'];
      else place.distance = double(value);
    }
    return place;
  });
}

export interface FunctionLibrary<S extends Shape> {
  readonly name: string;
  readonly engine: string;
  readonly functions: readonly {
    readonly name: string;
    readonly description: string | null;
    readonly flags: readonly string[];
  }[];
  /** Only with `withCode`. */
  readonly code?: S['text'];
}

export function libraries<S extends Shape>(reply: RawReply): FunctionLibrary<S>[] {
  return list(reply).map((each) => {
    const fields = record(each);
    const library = {
      name: word(fields['library_name']),
      engine: word(fields['engine']),
      functions: list(fields['functions']).map((one) => {
        const { name, description, flags } = record(one);
        return {
          name: word(name),
          description: description === null ? null : word(description),
          flags: list(flags).map(word),
        };
      }),
    };
    const code = fields['library_code'];
    return code === undefined ? library : { ...library, code: code as S['text'] };
  });
}

export interface FunctionStats {
  readonly running: { readonly name: string; readonly command: string[]; readonly durationMs: number } | null;
  /** By engine. */
  readonly engines: Readonly<Record<string, { readonly libraries: number; readonly functions: number }>>;
}

export function functionStats(reply: RawReply): FunctionStats {
  const { running_script: running, engines } = record(reply);
  return {
    running: running === null || running === undefined ? null : runningScript(running),
    engines: Object.fromEntries(
      Object.entries(record(engines)).map(([name, each]) => {
        const { libraries_count: libraryCount, functions_count: functionCount } = record(each);
        return [name, { libraries: Number(libraryCount), functions: Number(functionCount) }];
      }),
    ),
  };
}

function runningScript(reply: RawReply): NonNullable<FunctionStats['running']> {
  const { name, command, duration_ms: durationMs } = record(reply);
  return { name: word(name), command: list(command).map(word), durationMs: Number(durationMs) };
}

/** TIME: a Date, with millisecond precision, and the microseconds since 1970. */
export interface ServerTime {
  readonly date: Date;
  readonly microseconds: number;
}

export function serverTime(reply: RawReply): ServerTime {
  const [seconds, microseconds] = list(reply).map(Number) as [number, number];
  return {
    date: new Date(seconds * 1000 + Math.floor(microseconds / 1000)),
    microseconds: seconds * 1_000_000 + microseconds,
  };
}

export interface SlowLogEntry<S extends Shape> {
  readonly id: S['integer'];
  /** Unix time in seconds. */
  readonly time: S['integer'];
  readonly microseconds: S['integer'];
  readonly command: readonly S['text'][];
  readonly address: string;
  readonly clientName: string;
}

export function slowLog<S extends Shape>(reply: RawReply): SlowLogEntry<S>[] {
  return list(reply).map((each) => {
    const [id, time, microseconds, command, address, clientName] = list(each);
    return {
      id: id as S['integer'],
      time: time as S['integer'],
      microseconds: microseconds as S['integer'],
      command: list(command) as S['text'][],
      address: word(address),
      clientName: word(clientName),
    };
  });
}

export interface LatencyEvent<S extends Shape> {
  readonly event: string;
  /** Unix time in seconds of the latest. */
  readonly time: S['integer'];
  /** In milliseconds. */
  readonly latest: S['integer'];
  readonly max: S['integer'];
}

export function latencyEvents<S extends Shape>(reply: RawReply): LatencyEvent<S>[] {
  return list(reply).map((each) => {
    const [event, time, latest, max] = list(each);
    return {
      event: word(event),
      time: time as S['integer'],
      latest: latest as S['integer'],
      max: max as S['integer'],
    };
  });
}

export interface LatencySample<S extends Shape> {
  readonly time: S['integer'];
  readonly latency: S['integer'];
}

export function latencyHistory<S extends Shape>(reply: RawReply): LatencySample<S>[] {
  return list(reply).map((each) => {
    const [time, latency] = list(each);
    return { time: time as S['integer'], latency: latency as S['integer'] };
  });
}

export interface LatencyHistogram {
  readonly calls: number;
  /** The number of calls that took at most this many microseconds. */
  readonly histogram: Readonly<Record<string, number>>;
}

export function latencyHistograms(reply: RawReply): Record<string, LatencyHistogram> {
  return Object.fromEntries(
    Object.entries(record(reply)).map(([command, each]) => {
      const { calls, histogram_usec: histogram } = record(each);
      const counts = Object.entries(record(histogram)).map(([limit, count]) => [limit, Number(count)]);
      return [command, { calls: Number(calls), histogram: Object.fromEntries(counts) }];
    }),
  );
}

/** COMMAND GETKEYSANDFLAGS. */
export interface KeyAccess<S extends Shape> {
  readonly key: S['text'];
  readonly flags: readonly string[];
}

export function keyAccesses<S extends Shape>(reply: RawReply): KeyAccess<S>[] {
  return list(reply).map((each) => {
    const [key, flags] = list(each);
    return { key: key as S['text'], flags: list(flags).map(word) };
  });
}

/** MEMORY STATS: nested objects for the databases. */
export type MemoryStats = { readonly [name: string]: number | string | MemoryStats };

export function memoryStats(reply: RawReply): MemoryStats {
  return Object.fromEntries(pairs(reply).map(([name, value]) => [word(name), memoryValue(value)]));
}

function memoryValue(value: RawReply): number | string | MemoryStats {
  if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array))
    return memoryStats(value);
  const number = Number(value);
  return Number.isNaN(number) ? word(value) : number;
}

/** CLIENT TRACKINGINFO. */
export interface TrackingInfo {
  readonly flags: readonly string[];
  readonly redirect: number;
  readonly prefixes: readonly string[];
}

export function trackingInfo(reply: RawReply): TrackingInfo {
  const { flags, redirect, prefixes } = record(reply);
  return { flags: list(flags).map(word), redirect: Number(redirect), prefixes: list(prefixes).map(word) };
}
