import { helpHandler } from '../help.js';
import { family } from '../table.js';
import { commandHandlers } from './command.js';
import { configGet, configHelp, configResetStat, configRewrite, configSet } from './config.js';
import { dbsize, flushall, flushdb, swapdb } from './databases.js';
import { diagnosticsRows } from './diagnostics-rows.js';
import { info } from './info/index.js';
import { monitor } from './monitor.js';
import { rows } from './rows.js';

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
  swapdb,
});

export const diagnostics = family(diagnosticsRows, { info, monitor });
