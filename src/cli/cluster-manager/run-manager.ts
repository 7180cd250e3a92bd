import type { ServerOptions } from '../shell/server-options.js';
import { backUp } from './backup.js';
import { callAll } from './call-all.js';
import { check } from './check.js';
import { create } from './create.js';
import { importKeys } from './import-keys.js';
import { Manager, type UserInput } from './manager.js';
import type { ManagerOptions } from './manager-options.js';
import { GivenUp, type ManagerOutput, ManagerReport } from './manager-report.js';
import { addNode, deleteNode, setTimeouts } from './membership.js';
import { rebalance } from './rebalance.js';
import { reshard } from './reshard.js';

/** What `sorrel cli --cluster` was given. */
export interface ManagerCommand {
  readonly name: string;
  readonly words: readonly string[];
  readonly options: ManagerOptions;
  readonly isVerbose: boolean;
}

/** What the manager uses of the program that it is part of. */
export interface ManagerSurroundings {
  readonly server: ServerOptions;
  readonly out: ManagerOutput;
  readonly input: UserInput;
  readonly hasColors: boolean;
  askPassword(prompt: string): Promise<string>;
}

interface Subcommand {
  /** As `--cluster help` shows them. */
  readonly parameters: string;
  readonly options: readonly string[];
  /** How many words; the min number if negative. */
  readonly arity: number;
  /** False: the exit code is 1. What is wrong has been printed. */
  run(manager: Manager, command: ManagerCommand, surroundings: ManagerSurroundings): Promise<boolean>;
}

const ANY_NODE = '<host:port> or <host> <port> - separated by either colon or space';

const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  create: {
    parameters: 'host1:port1 ... hostN:portN',
    options: ['replicas <arg>'],
    arity: -2,
    run: (manager, { words }) => create(manager, words),
  },
  check: {
    parameters: ANY_NODE,
    options: ['search-multiple-owners'],
    arity: -1,
    run: async (manager, { words }) => {
      await manager.load(manager.addressIn(words));
      await manager.showSummary();
      return check(manager);
    },
  },
  info: {
    parameters: ANY_NODE,
    options: [],
    arity: -1,
    run: async (manager, { words }) => {
      await manager.load(manager.addressIn(words));
      await manager.showSummary();
      return true;
    },
  },
  fix: {
    parameters: ANY_NODE,
    options: ['search-multiple-owners', 'fix-with-unreachable-masters'],
    arity: -1,
    run: async (manager, { words }) => {
      manager.isFixing = true;
      await manager.load(manager.addressIn(words));
      await manager.showSummary();
      return check(manager);
    },
  },
  reshard: {
    parameters: ANY_NODE,
    options: ['from <arg>', 'to <arg>', 'slots <arg>', 'yes', 'timeout <arg>', 'pipeline <arg>', 'replace'],
    arity: -1,
    run: async (manager, { words }) => {
      await manager.load(manager.addressIn(words));
      return reshard(manager);
    },
  },
  rebalance: {
    parameters: ANY_NODE,
    options: [
      'weight <node1=w1...nodeN=wN>',
      'use-empty-masters',
      'timeout <arg>',
      'simulate',
      'pipeline <arg>',
      'threshold <arg>',
      'replace',
    ],
    arity: -1,
    run: async (manager, { words, isVerbose }) => {
      await manager.load(manager.addressIn(words));
      return rebalance(manager, isVerbose);
    },
  },
  'add-node': {
    parameters: 'new_host:new_port existing_host:existing_port',
    options: ['slave', 'master-id <arg>'],
    arity: 2,
    run: (manager, { words }) => addNode(manager, words),
  },
  'del-node': {
    parameters: 'host:port node_id',
    options: [],
    arity: 2,
    run: (manager, { words }) => deleteNode(manager, words),
  },
  call: {
    parameters: 'host:port command arg arg .. arg',
    options: ['only-masters', 'only-replicas'],
    arity: -2,
    run: (manager, { words }) => callAll(manager, words),
  },
  'set-timeout': {
    parameters: 'host:port milliseconds',
    options: [],
    arity: 2,
    run: (manager, { words }) => setTimeouts(manager, words),
  },
  import: {
    parameters: 'host:port',
    options: ['from <arg>', 'from-user <arg>', 'from-pass <arg>', 'from-askpass', 'copy', 'replace'],
    arity: 1,
    run: (manager, { words }, { askPassword }) =>
      importKeys(manager, words, () => askPassword('Please input import source node password: ')),
  },
  backup: {
    parameters: 'host:port backup_directory',
    options: [],
    arity: 2,
    run: (manager, { words }) => backUp(manager, words),
  },
  help: {
    parameters: '',
    options: [],
    arity: 0,
    run: async ({ report }) => {
      report.print(help());
      return false;
    },
  },
};

/** `sorrel cli --cluster NAME …`. The result is the exit code. */
export async function runManager(
  command: ManagerCommand,
  surroundings: ManagerSurroundings,
): Promise<number> {
  const { out, server, input, hasColors } = surroundings;
  const { name, words, options } = command;
  const subcommand = Object.hasOwn(SUBCOMMANDS, name) ? SUBCOMMANDS[name] : undefined;
  if (subcommand === undefined) {
    out.error('Unknown --cluster subcommand');
    return 1;
  }
  const { arity } = subcommand;
  if (arity < 0 ? words.length < -arity : words.length !== arity) {
    out.error('[ERR] Wrong number of arguments for specified --cluster sub command');
    return 1;
  }
  const manager = new Manager(options, server, new ManagerReport(out, hasColors), input);
  try {
    return (await subcommand.run(manager, command, surroundings)) ? 0 : 1;
  } catch (error) {
    if (error instanceof GivenUp) return 1;
    throw error;
  } finally {
    manager.close();
  }
}

function help(): string {
  const lines = Object.entries(SUBCOMMANDS).flatMap(([name, { parameters, options }]) => [
    `  ${name.padEnd(15)}${parameters}`,
    ...options.map((option) => `${' '.repeat(17)}--cluster-${option}`),
  ]);
  return `Cluster Manager Commands:
${lines.join('\n')}

For check, fix, reshard, del-node, set-timeout, info, rebalance, call, import, backup you can specify the host and port of any working node in the cluster.

Cluster Manager Options:
  --cluster-yes  Automatic yes to cluster commands prompts

`;
}
