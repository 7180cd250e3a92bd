import type { Master } from './instance.js';
import { InstanceRefused } from './instance-refused.js';
import type { Sentinel } from './sentinel.js';

/** A directive that cannot be used; the message says why. */
export class DirectiveRefused extends Error {}

/** Applies the directives of a configuration file: the words after `sentinel`, in any order. */
export function applyDirectives(
  sentinel: Sentinel,
  directives: readonly { readonly words: readonly string[]; refused(reason: string): Error }[],
): void {
  for (const stage of [0, 1, 2]) {
    for (const { words, refused } of directives) {
      if (stageOf(words[0]) !== stage) continue;
      try {
        apply(sentinel, words);
      } catch (error) {
        if (error instanceof DirectiveRefused) throw refused(error.message);
        if (error instanceof InstanceRefused) throw refused(error.text.replace(/^ERR /, ''));
        throw error;
      }
    }
  }
}

/** First what the names of hosts depend on, then the masters, then what refers to them: in any order in the file. */
function stageOf(option: string | undefined): number {
  const name = option?.toLowerCase();
  if (name === 'resolve-hostnames' || name === 'announce-hostnames' || name === 'myid') return 0;
  return name === 'monitor' ? 1 : 2;
}

function apply(sentinel: Sentinel, words: readonly string[]): void {
  const [option = '', ...values] = words;
  const rule = RULES[option.toLowerCase()];
  if (
    rule === undefined ||
    (rule.values !== values.length && rule.values + (rule.more ?? 0) !== values.length)
  ) {
    throw new DirectiveRefused('Unrecognized sentinel configuration statement.');
  }
  rule.apply(sentinel, values as [string, string, string, string]);
}

interface Rule {
  /** The number of values, and how many there may be beyond. */
  readonly values: number;
  readonly more?: number;
  apply(sentinel: Sentinel, values: [string, string, string, string]): void;
}

const global = (apply: (sentinel: Sentinel, value: string) => void): Rule => ({
  values: 1,
  apply: (sentinel, [value]) => apply(sentinel, value),
});

const ofMaster = (
  apply: (master: Master, values: [string, string, string], sentinel: Sentinel) => void,
  values = 2,
  more = 0,
): Rule => ({
  values,
  more,
  apply: (sentinel, [name, ...rest]) => {
    const master = sentinel.masters.get(name);
    if (master === undefined) throw new DirectiveRefused('No such master with specified name.');
    apply(master, rest, sentinel);
  },
});

const script = (what: string, set: (master: Master, path: string) => void): Rule =>
  ofMaster((master, [path], { world }) => {
    if (!world.isExecutable(path)) {
      throw new DirectiveRefused(`${what} script seems non existing or non executable.`);
    }
    set(master, path);
  });

const epoch = (set: (master: Master, epoch: number) => void): Rule =>
  ofMaster((master, [text], sentinel) => {
    const value = Number(text);
    // A configuration of a later epoch than ours: this Sentinel was part of it.
    if (value > sentinel.epoch) sentinel.epoch = value;
    set(master, value);
  });

function yesOrNo(option: string, value: string): boolean {
  const text = value.toLowerCase();
  if (text === 'yes' || text === 'no') return text === 'yes';
  throw new DirectiveRefused(`Please specify yes or no for the ${option} option.`);
}

function time(value: string): number {
  const ms = Number(value);
  if (!(ms > 0)) throw new DirectiveRefused('negative or zero time parameter.');
  return Math.floor(ms);
}

const knownReplica: Rule = ofMaster((master, [host, port], sentinel) => {
  sentinel.addReplica(master, host, Number(port));
}, 3);

const RULES: Readonly<Record<string, Rule>> = {
  monitor: {
    values: 4,
    apply(sentinel, [name, host, port, quorum]) {
      if (!(Number(quorum) > 0)) throw new DirectiveRefused('Quorum must be 1 or greater.');
      sentinel.addMaster(name, host, Number(port), Math.floor(Number(quorum)));
    },
  },
  'down-after-milliseconds': ofMaster((master, [value]) => master.setDownAfter(time(value))),
  'failover-timeout': ofMaster((master, [value]) => {
    master.failoverTimeout = time(value);
  }),
  'parallel-syncs': ofMaster((master, [value]) => {
    master.parallelSyncs = Math.floor(Number(value)) || 0;
  }),
  'notification-script': script('Notification', (master, path) => {
    master.notificationScript = path;
  }),
  'client-reconfig-script': script('Client reconfiguration', (master, path) => {
    master.reconfigScript = path;
  }),
  'auth-pass': ofMaster((master, [password]) => {
    master.password = password;
  }),
  'auth-user': ofMaster((master, [user]) => {
    master.user = user;
  }),
  'master-reboot-down-after-period': ofMaster((master, [value]) => {
    if (!(Number(value) >= 0)) throw new DirectiveRefused('negative time parameter.');
    master.rebootDownAfter = Number(value);
  }),
  'config-epoch': epoch((master, value) => {
    master.configEpoch = value;
  }),
  'leader-epoch': epoch((master, value) => {
    master.leaderEpoch = value;
  }),
  'known-slave': knownReplica,
  'known-replica': knownReplica,
  'known-sentinel': ofMaster(
    (master, [host, port, id], sentinel) => {
      // Old files have no id; such a Sentinel is found again by its messages.
      if (id !== undefined) sentinel.addSentinel(master, host, Number(port), id);
    },
    3,
    1,
  ),
  'rename-command': ofMaster((master, [from, to]) => {
    if (master.renamedCommands.has(from.toLowerCase())) {
      throw new DirectiveRefused('Same command renamed multiple times with rename-command.');
    }
    master.renamedCommands.set(from.toLowerCase(), to);
  }, 3),
  myid: global((sentinel, id) => {
    if (id.length !== 40) throw new DirectiveRefused('Malformed Sentinel id in myid option.');
    sentinel.id = id;
  }),
  'current-epoch': global((sentinel, value) => {
    sentinel.epoch = Math.max(sentinel.epoch, Number(value));
  }),
  'announce-ip': global((sentinel, host) => {
    sentinel.announcedHost = host;
  }),
  'announce-port': global((sentinel, port) => {
    sentinel.announcedPort = Number(port);
  }),
  'deny-scripts-reconfig': global((sentinel, value) => {
    sentinel.deniesScriptChanges = yesOrNo('deny-scripts-reconfig', value);
  }),
  'sentinel-user': global((sentinel, user) => {
    sentinel.user = user;
  }),
  'sentinel-pass': global((sentinel, password) => {
    sentinel.password = password;
  }),
  'resolve-hostnames': global(({ addresses }, value) => {
    addresses.resolvesNames = yesOrNo('resolve-hostnames', value);
  }),
  'announce-hostnames': global(({ addresses }, value) => {
    addresses.announcesNames = yesOrNo('announce-hostnames', value);
  }),
};
