import { parseMemorySize } from '../../bytes/memory-size.js';
import { parseInteger64Text, parseIntegerText } from '../../bytes/numbers/integer.js';
import { quote } from '../../bytes/quoting.js';
import { EventClass } from '../../keyspace/effects.js';
import { roundMemory, SettingError, type SettingKind, someOf } from './kinds.js';

function words(text: string): string[] {
  return text.split(' ').filter((word) => word !== '');
}

/** Pairs of seconds and changes: `3600 1 300 100`; empty for no automatic saving. */
export const savePoints: SettingKind = {
  severalWords: true,
  accumulates: true,
  parse(text) {
    const parts = words(text);
    const valid = parts.length % 2 === 0 && parts.every((part, i) => isSaveNumber(part, i % 2 === 0 ? 1 : 0));
    if (!valid) throw new SettingError('Invalid save parameters');
    return parts.join(' ');
  },
  lines(text) {
    const parts = words(text);
    if (parts.length === 0) return ['""'];
    return parts.flatMap((part, i) => (i % 2 === 0 ? [`${part} ${parts[i + 1]}`] : []));
  },
  alwaysWritten: true,
};

function isSaveNumber(text: string, min: number): boolean {
  return /^\d+$/.test(text) && Number(text) >= min;
}

const CLIENT_CLASSES = ['normal', 'slave', 'pubsub'];

/** For each class of client: hard limit, soft limit, seconds. Other classes keep their limits. */
export const outputLimits: SettingKind = {
  severalWords: true,
  parse(text, current) {
    const parts = words(text);
    if (parts.length % 4 !== 0) {
      throw new SettingError('Wrong number of arguments in buffer limit configuration.');
    }
    const limits = new Map<string, string>();
    const old = words(current);
    for (let i = 0; i < old.length; i += 4) limits.set(old[i] as string, old.slice(i + 1, i + 4).join(' '));
    for (let i = 0; i < parts.length; i += 4) {
      const [name, hard, soft, seconds] = parts.slice(i, i + 4) as [string, string, string, string];
      const clientClass = name.toLowerCase() === 'replica' ? 'slave' : name.toLowerCase();
      if (!CLIENT_CLASSES.includes(clientClass)) {
        throw new SettingError('Invalid client class specified in buffer limit configuration.');
      }
      const hardBytes = parseMemorySize(hard);
      const softBytes = parseMemorySize(soft);
      if (hardBytes === undefined || softBytes === undefined || !/^\d+$/.test(seconds)) {
        throw new SettingError('Error in hard, soft or soft_seconds setting in buffer limit configuration.');
      }
      limits.set(clientClass, `${hardBytes} ${softBytes} ${Number(seconds)}`);
    }
    return CLIENT_CLASSES.map((name) => `${name} ${limits.get(name) ?? '0 0 0'}`).join(' ');
  },
  lines(text) {
    const parts = words(text);
    return CLIENT_CLASSES.map((_, i) => {
      const [name, hard, soft, seconds] = parts.slice(i * 4, i * 4 + 4) as [string, string, string, string];
      const shown = name === 'slave' ? 'replica' : name;
      return `${shown} ${roundMemory(hard)} ${roundMemory(soft)} ${seconds}`;
    });
  },
};

const EVENT_LETTERS: readonly (readonly [string, number])[] = [
  ['g', EventClass.generic],
  ['$', EventClass.string],
  ['l', EventClass.list],
  ['s', EventClass.set],
  ['h', EventClass.hash],
  ['z', EventClass.sortedSet],
  ['x', EventClass.expired],
  ['e', EventClass.evicted],
  ['t', EventClass.stream],
  ['d', EventClass.module],
  ['n', EventClass.newKey],
];
const OTHER_EVENT_LETTERS: readonly (readonly [string, number])[] = [
  ['K', EventClass.keyspace],
  ['E', EventClass.keyevent],
  ['m', EventClass.keyMiss],
];
/** `A`: every class but misses and new keys. */
const ALL_EVENTS = EVENT_LETTERS.reduce((mask, [letter, bit]) => (letter === 'n' ? mask : mask | bit), 0);

/** The classes that a value of `notify-keyspace-events` selects; undefined if a letter is unknown. */
export function eventMask(letters: string): number | undefined {
  let mask = 0;
  for (const letter of letters) {
    if (letter === 'A') {
      mask |= ALL_EVENTS;
      continue;
    }
    const known = [...EVENT_LETTERS, ...OTHER_EVENT_LETTERS].find(([name]) => name === letter);
    if (known === undefined) return undefined;
    mask |= known[1];
  }
  return mask;
}

export const eventClasses: SettingKind = {
  parse(text) {
    const mask = eventMask(text);
    if (mask === undefined) {
      throw new SettingError("Invalid event class character. Use 'Ag$lshzxeKEtmdn'.");
    }
    const named = (letters: typeof EVENT_LETTERS): string =>
      letters.map(([letter, bit]) => ((mask & bit) !== 0 ? letter : '')).join('');
    if ((mask & ALL_EVENTS) !== ALL_EVENTS) return named(EVENT_LETTERS) + named(OTHER_EVENT_LETTERS);
    const newKeys = (mask & EventClass.newKey) === 0 ? '' : 'n';
    return `A${named(OTHER_EVENT_LETTERS)}${newKeys}`;
  },
  shown: shownEventClasses,
  lines: (text) => [quote(shownEventClasses(text))],
};

/** After A, Redis does not show the letter for new keys. */
function shownEventClasses(text: string): string {
  return text.startsWith('A') ? text.replace('n', '') : text;
}

/** The default of `bind`: every address, IPv6 if the machine has it. */
export const EVERY_ADDRESS = '* -::*';

export const addresses: SettingKind = {
  severalWords: true,
  parse(text) {
    const parts = words(text);
    if (parts.length > 16) throw new SettingError('Too many bind addresses specified.');
    return parts.join(' ');
  },
  // The default is omitted in a file; an empty list must be written.
  lines: (text) => (text === EVERY_ADDRESS ? [] : [text === '' ? '""' : text]),
};

export const percentiles: SettingKind = {
  severalWords: true,
  parse(text) {
    const parts = words(text);
    for (const part of parts) {
      const value = Number(part);
      if (Number.isNaN(value)) throw new SettingError('Invalid latency-tracking-info-percentiles parameters');
      if (value < 0 || value > 100) {
        throw new SettingError('latency-tracking-info-percentiles parameters should sit between [0.0,100.0]');
      }
    }
    return parts.map((part) => String(Number(part))).join(' ');
  },
};

export const oomScores: SettingKind = {
  severalWords: true,
  parse(text) {
    const parts = words(text);
    if (parts.length !== 3) throw new SettingError('wrong number of arguments');
    const values = parts.map(parseIntegerText);
    if (values.some((value) => Number.isNaN(value) || value < -2000 || value > 2000)) {
      throw new SettingError('Invalid oom-score-adj-values, elements must be between -2000 and 2000.');
    }
    if (!values.every((value, i) => i === 0 || value >= (values[i - 1] as number))) {
      throw new SettingError('Invalid oom-score-adj-values, the values should be in ascending order.');
    }
    return parts.join(' ');
  },
};

const shutdownWords = someOf('default', 'save', 'nosave', 'now', 'force');

/** How a signal shuts the server down. */
export const shutdownOptions: SettingKind = {
  ...shutdownWords,
  parse(text, current) {
    const value = shutdownWords.parse(text, current);
    if (value.startsWith('save nosave')) {
      throw new SettingError('Options save and nosave can not be specified at the same time');
    }
    return value;
  },
};

/** Host and port of the master, or `no one`. */
export const masterAddress: SettingKind = {
  severalWords: true,
  parse(text) {
    const parts = words(text);
    if (parts.length === 0) return '';
    if (parts.length !== 2) throw new SettingError('wrong number of arguments');
    const [host, port] = parts as [string, string];
    if (host.toLowerCase() === 'no' && port.toLowerCase() === 'one') return '';
    const number = parseInteger64Text(port);
    if (number === undefined || number < 0n || number > 65535n) throw new SettingError('Invalid master port');
    return `${host} ${port}`;
  },
  lines: (text) => (text === '' ? [] : [text]),
};

/** The host name that a node announces to the cluster. */
export const hostname: SettingKind = {
  parse(text) {
    if (text.length >= 256) throw new SettingError('Hostnames must be less than 256 characters');
    if (!/^[a-zA-Z0-9.-]*$/.test(text)) {
      throw new SettingError('Hostnames may only contain alphanumeric characters, hyphens or dots');
    }
    return text;
  },
  lines: (text) => (text === '' ? [] : [quote(text)]),
};

const TITLE_VARIABLES = new Set([
  'title',
  'listen-addr',
  'server-mode',
  'port',
  'tls-port',
  'unixsocket',
  'config-file',
]);

/** Text with variables in braces; `{{` is one brace. Neither empty nor the title alone. */
export const titleTemplate: SettingKind = {
  parse(text) {
    const unknown = text.replace(/\{\{/g, 'x').replace(/\{([^}]*)\}/g, (variable, name: string) => {
      if (!TITLE_VARIABLES.has(name)) return variable;
      return name === 'title' ? '' : 'x';
    });
    if (unknown.includes('{') || /^ *$/.test(unknown)) {
      throw new SettingError('template format is invalid or contains unknown variables');
    }
    return text;
  },
  lines: (text) => [quote(text)],
};
