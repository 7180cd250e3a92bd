import { globMatchText } from '../../bytes/glob.js';
import type { Call } from '../../commands/call.js';
import { CommandError } from '../../commands/errors.js';
import type { Master } from '../instance.js';
import type { Sentinel } from '../sentinel.js';

export function flushAndReply(sentinel: Sentinel, { reply }: Call): void {
  if (!sentinel.flush()) throw new CommandError('ERR Failed to save config file. Please check server logs.');
  reply.ok();
}

// ---- SENTINEL CONFIG ----

interface GlobalSetting {
  get(sentinel: Sentinel): string;
  /** False if the value is not valid. */
  set(sentinel: Sentinel, value: string): boolean;
}

const GLOBAL_SETTINGS: Readonly<Record<string, GlobalSetting>> = {
  'resolve-hostnames': {
    get: ({ addresses }) => (addresses.resolvesNames ? 'yes' : 'no'),
    set: ({ addresses }, value) =>
      setBoolean(value, (isOn) => {
        addresses.resolvesNames = isOn;
      }),
  },
  'announce-hostnames': {
    get: ({ addresses }) => (addresses.announcesNames ? 'yes' : 'no'),
    set: ({ addresses }, value) =>
      setBoolean(value, (isOn) => {
        addresses.announcesNames = isOn;
      }),
  },
  'announce-ip': {
    get: ({ announcedHost }) => announcedHost,
    set(sentinel, value) {
      sentinel.announcedHost = value;
      return true;
    },
  },
  'announce-port': {
    get: ({ announcedPort }) => String(announcedPort),
    set(sentinel, value) {
      const port = Number(value);
      if (!Number.isInteger(port) || port < 0 || port > 65535) return false;
      sentinel.announcedPort = port;
      return true;
    },
  },
  'sentinel-user': {
    get: ({ user }) => user,
    set(sentinel, value) {
      sentinel.user = value;
      sentinel.reconnectSentinels();
      return true;
    },
  },
  'sentinel-pass': {
    get: ({ password }) => password,
    set(sentinel, value) {
      sentinel.password = value;
      sentinel.reconnectSentinels();
      return true;
    },
  },
};

function setBoolean(value: string, set: (isOn: boolean) => void): boolean {
  const text = value.toLowerCase();
  if (text !== 'yes' && text !== 'no') return false;
  set(text === 'yes');
  return true;
}

export function configGet(sentinel: Sentinel, call: Call): void {
  const pattern = call.text(3);
  const found = Object.entries(GLOBAL_SETTINGS).filter(([name]) => globMatchText(pattern, name, true));
  call.reply.map(found.length);
  for (const [name, { get }] of found) {
    call.reply.bulkText(name);
    call.reply.bulkText(get(sentinel));
  }
}

export function configSet(sentinel: Sentinel, call: Call): void {
  const name = call.text(3);
  const value = call.text(4);
  const setting = GLOBAL_SETTINGS[name.toLowerCase()];
  if (setting === undefined) {
    throw new CommandError(`ERR Invalid argument '${name}' to SENTINEL CONFIG SET`);
  }
  if (!setting.set(sentinel, value)) {
    throw new CommandError(`ERR Invalid value '${value}' to SENTINEL CONFIG SET '${name}'`);
  }
  flushAndReply(sentinel, call);
}

// ---- SENTINEL SET ----

/** Applies one option of a master. False if a value is not valid. */
type SetOption = (master: Master, values: readonly string[], sentinel: Sentinel) => boolean;

interface MasterOption {
  readonly values: number;
  /** Its value is not told to others. */
  readonly isSecret?: boolean;
  readonly set: SetOption;
}

const positive = (set: (master: Master, value: number) => void): MasterOption => ({
  values: 1,
  set(master, [text]) {
    const value = Number(text);
    if (!Number.isInteger(value) || value <= 0) return false;
    set(master, value);
    return true;
  },
});

const SCRIPTS_DENIED = new CommandError(
  'ERR Reconfiguration of scripts path is denied for security reasons. Check the deny-scripts-reconfig configuration directive in your Sentinel configuration',
);

const script = (what: string, set: (master: Master, path: string | undefined) => void): MasterOption => ({
  values: 1,
  set(master, [path], { deniesScriptChanges, world }) {
    if (deniesScriptChanges) throw SCRIPTS_DENIED;
    if (path !== '' && !world.isExecutable(path as string)) {
      throw new CommandError(`ERR ${what} script seems non existing or non executable`);
    }
    set(master, path === '' ? undefined : path);
    return true;
  },
});

const text = (set: (master: Master, value: string | undefined) => void): MasterOption => ({
  values: 1,
  set(master, [value]) {
    set(master, value === '' ? undefined : value);
    return true;
  },
});

const MASTER_OPTIONS: Readonly<Record<string, MasterOption>> = {
  'down-after-milliseconds': positive((master, value) => master.setDownAfter(value)),
  'failover-timeout': positive((master, value) => {
    master.failoverTimeout = value;
  }),
  'parallel-syncs': positive((master, value) => {
    master.parallelSyncs = value;
  }),
  'notification-script': script('Notification', (master, path) => {
    master.notificationScript = path;
  }),
  'client-reconfig-script': script('Client reconfiguration', (master, path) => {
    master.reconfigScript = path;
  }),
  'auth-pass': {
    ...text((master, password) => {
      master.password = password;
      reconnect(master);
    }),
    isSecret: true,
  },
  'auth-user': text((master, user) => {
    master.user = user;
    reconnect(master);
  }),
  quorum: positive((master, value) => {
    master.quorum = value;
  }),
  'rename-command': {
    values: 2,
    set(master, [from, to]) {
      if (from === '' || to === '') return false;
      master.renamedCommands.delete((from as string).toLowerCase());
      if (from !== to) master.renamedCommands.set((from as string).toLowerCase(), to as string);
      return true;
    },
  },
  'master-reboot-down-after-period': {
    values: 1,
    set(master, [value]) {
      const ms = Number(value);
      if (!Number.isInteger(ms) || ms < 0) return false;
      master.rebootDownAfter = ms;
      return true;
    },
  },
};

/** The servers of the group are authenticated to again. */
function reconnect(master: Master): void {
  for (const { link } of [master, ...master.replicas.values()]) link.close();
}

export function setOptions(sentinel: Sentinel, master: Master, call: Call): void {
  for (let i = 3; i < call.argc; ) {
    const name = call.text(i);
    const option = MASTER_OPTIONS[name.toLowerCase()];
    const values: string[] = [];
    for (let j = i + 1; j < call.argc && values.length < (option?.values ?? 0); j++)
      values.push(call.text(j));
    if (option === undefined || values.length < option.values) {
      sentinel.flush();
      throw new CommandError(`ERR Unknown option or number of arguments for SENTINEL SET '${name}'`);
    }
    if (!option.set(master, values, sentinel)) {
      sentinel.flush();
      throw new CommandError(`ERR Invalid argument '${values.at(-1)}' for SENTINEL SET '${name}'`);
    }
    const shown = option.isSecret === true ? ['******'] : values;
    sentinel.event('warning', '+set', master, ` ${[name, ...shown].join(' ')}`);
    i += 1 + option.values;
  }
  flushAndReply(sentinel, call);
}
