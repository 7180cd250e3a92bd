import { family } from '../table.js';
import { evalReadonly, evalsha, evalshaReadonly, evaluate, fcall, fcallReadonly } from './eval.js';
import * as functions from './function.js';
import { rows } from './rows.js';
import * as script from './script.js';

export const scripting = family(rows, {
  eval: evaluate,
  eval_ro: evalReadonly,
  evalsha,
  evalsha_ro: evalshaReadonly,
  fcall,
  fcall_ro: fcallReadonly,
  function: {
    delete: functions.remove,
    dump: functions.dump,
    flush: functions.flush,
    help: functions.help,
    kill: functions.kill,
    list: functions.list,
    load: functions.load,
    restore: functions.restore,
    stats: functions.stats,
  },
  script: {
    debug: script.debug,
    exists: script.exists,
    flush: script.flush,
    help: script.help,
    kill: script.kill,
    load: script.load,
  },
});
