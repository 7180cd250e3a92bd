import { restore } from '../generic/dump.js';
import { helpHandler } from '../help.js';
import { family } from '../table.js';
import { commandHandlers } from './command.js';
import { configGet, configHelp, configResetStat, configRewrite, configSet } from './config.js';
import { dbsize, flushall, flushdb, swapdb } from './databases.js';
import { debug } from './debug/debug.js';
import { latencyHelp, memoryHelp, slowlogHelp } from './diagnostics-help.js';
import { diagnosticsRows } from './diagnostics-rows.js';
import { info } from './info/index.js';
import {
  latencyDoctor,
  latencyGraphCommand,
  latencyHistogram,
  latencyHistory,
  latencyLatest,
  latencyReset,
} from './latency.js';
import { lolwut } from './lolwut.js';
import { memoryMallocStats, memoryPurge, memoryStats, memoryUsage } from './memory.js';
import { memoryDoctor } from './memory-doctor.js';
import { moduleHandlers } from './module.js';
import { monitor } from './monitor.js';
import { bgrewriteaof, bgsave, lastsave, save } from './persistence.js';
import { persistenceRows } from './persistence-rows.js';
import { shutdown, time } from './process.js';
import { failover, psync, replconf, replicaof, role, sync } from './replication.js';
import { replicationRows } from './replication-rows.js';
import { rows } from './rows.js';
import { slowlogGet, slowlogLen, slowlogReset } from './slowlog.js';

export const server = family(rows, {
  command: commandHandlers,
  config: {
    get: configGet,
    set: configSet,
    resetstat: configResetStat,
    rewrite: configRewrite,
    help: helpHandler(configHelp),
  },
  dbsize,
  flushall,
  flushdb,
  module: moduleHandlers,
  shutdown,
  swapdb,
  time,
});

export const diagnostics = family(diagnosticsRows, {
  debug,
  info,
  latency: {
    doctor: latencyDoctor,
    graph: latencyGraphCommand,
    help: helpHandler(latencyHelp),
    histogram: latencyHistogram,
    history: latencyHistory,
    latest: latencyLatest,
    reset: latencyReset,
  },
  lolwut,
  memory: {
    doctor: memoryDoctor,
    help: helpHandler(memoryHelp),
    'malloc-stats': memoryMallocStats,
    purge: memoryPurge,
    stats: memoryStats,
    usage: memoryUsage,
  },
  monitor,
  slowlog: {
    get: slowlogGet,
    help: helpHandler(slowlogHelp),
    len: slowlogLen,
    reset: slowlogReset,
  },
});

export const persistence = family(persistenceRows, { bgrewriteaof, bgsave, lastsave, save });

export const replication = family(replicationRows, {
  failover,
  psync,
  replconf,
  replicaof,
  'restore-asking': restore,
  role,
  slaveof: replicaof,
  sync,
});
