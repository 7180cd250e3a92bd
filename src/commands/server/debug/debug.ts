import { Bytes } from '../../../bytes/bytes.js';
import { parseMemorySize } from '../../../bytes/memory-size.js';
import { keyspaceDigest, NO_VALUE_DIGEST, valueDigest } from '../../../keyspace/digest.js';
import { EventClass } from '../../../keyspace/effects.js';
import { NO_ENTRY } from '../../../keyspace/entry.js';
import { setText } from '../../../keyspace/values/string-value.js';
import type { Call } from '../../call.js';
import { CommandError, errors, wrongSubcommandArguments } from '../../errors.js';
import { helpHandler } from '../../help.js';
import { DEFAULT_PEAK_RESET_MS } from '../../statistics-port.js';
import { debugClientEviction } from './debug-clients.js';
import { debugClusterLink, debugDropPackets } from './debug-cluster.js';
import { debugHelp } from './debug-help.js';
import { debugListpack, debugObject, debugQuicklist, debugSdslen } from './debug-object.js';
import { debugProtocol } from './debug-protocol.js';
import { debugHtstats, debugHtstatsKey } from './debug-tables.js';

/** The number of arguments (DEBUG and the subcommand included), and the handler. */
interface Subcommand {
  readonly min: number;
  readonly max: number;
  run(call: Call): void;
}

function exactly(count: number, run: (call: Call) => void): Subcommand {
  return { min: count, max: count, run };
}

function between(min: number, max: number, run: (call: Call) => void): Subcommand {
  return { min, max, run };
}

function atLeast(min: number, run: (call: Call) => void): Subcommand {
  return { min, max: Number.POSITIVE_INFINITY, run };
}

const BAD_THRESHOLD = new CommandError(
  'ERR argument must be a memory value bigger than 1 and smaller than 4gb',
);
const NO_RESTART = new CommandError('ERR failed to restart the server. Check server logs.');
const NO_SUCH_TUNABLE = new CommandError('ERR No such file or directory');
const BAD_RELOAD_OPTION = new CommandError(
  'ERR DEBUG RELOAD only supports the MERGE, NOFLUSH and NOSAVE options.',
);
const STRUCT_SIZES = 'bits:64 robj:16 dictentry:24 sdshdr5:1 sdshdr8:3 sdshdr16:5 sdshdr32:9 sdshdr64:17 ';

/** Accepted without effect: it concerns something that does not exist here. */
function noEffect(call: Call): void {
  call.reply.ok();
}

/** Allows scripts to call commands with the `noscript` flag. */
function allowAnyCommand(call: Call): void {
  call.engine.scripting.allowsAnyCommand = Number.parseInt(call.text(2), 10) > 0;
  call.reply.ok();
}

function skipChecksums(call: Call): void {
  call.keyspace.checksPayloads = Number.parseInt(call.text(2), 10) !== 1;
  call.reply.ok();
}

function crash(call: Call): void {
  call.engine.host.crash(`Crashing on request: DEBUG ${call.text(1).toUpperCase()}`);
}

const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  'aof-flush-sleep': exactly(3, noEffect),
  assert: atLeast(2, crash),
  'change-repl-id': exactly(2, changeReplicationId),
  'client-eviction': exactly(2, debugClientEviction),
  clusterlink: exactly(5, debugClusterLink),
  'config-rewrite-force-all': exactly(2, rewriteSettings),
  'crash-and-recover': atLeast(2, fails(NO_RESTART)),
  digest: exactly(2, digest),
  'digest-value': atLeast(2, digestValue),
  'drop-cluster-packet-filter': exactly(3, debugDropPackets),
  error: exactly(3, error),
  help: exactly(2, helpHandler(debugHelp)),
  htstats: exactly(3, debugHtstats),
  'htstats-key': exactly(3, debugHtstatsKey),
  leak: exactly(3, noEffect),
  listpack: exactly(3, debugListpack),
  loadaof: atLeast(2, reloadAppendOnly),
  log: exactly(3, log),
  mallctl: atLeast(3, fails(NO_SUCH_TUNABLE)),
  'mallctl-str': atLeast(3, fails(NO_SUCH_TUNABLE)),
  object: exactly(3, debugObject),
  oom: atLeast(2, crash),
  panic: atLeast(2, crash),
  'pause-cron': exactly(3, pauseCron),
  populate: between(3, 5, populate),
  protocol: exactly(3, debugProtocol),
  quicklist: between(3, 4, debugQuicklist),
  'quicklist-packed-threshold': exactly(3, setPackedThreshold),
  reload: atLeast(2, reload),
  replicate: atLeast(3, replicate),
  replybuffer: exactly(4, replyBuffer),
  restart: atLeast(2, fails(NO_RESTART)),
  sdslen: exactly(3, debugSdslen),
  segfault: atLeast(2, crash),
  'set-active-expire': exactly(3, setActiveExpire),
  'set-disable-deny-scripts': exactly(3, allowAnyCommand),
  'set-skip-checksum-validation': exactly(3, skipChecksums),
  sleep: exactly(3, sleep),
  'stringmatch-test': exactly(2, noEffect),
  structsize: exactly(2, (call) => call.reply.bulkText(STRUCT_SIZES)),
};

/** DEBUG subcommand …: for tests of servers and clients; `enable-debug-command` guards it. */
export function debug(call: Call): void {
  const name = call.text(1).toLowerCase();
  const subcommand = Object.hasOwn(SUBCOMMANDS, name) ? SUBCOMMANDS[name] : undefined;
  if (subcommand === undefined || call.argc < subcommand.min || call.argc > subcommand.max) {
    throw unknown(call);
  }
  subcommand.run(call);
}

function unknown(call: Call): CommandError {
  return wrongSubcommandArguments(call.text(1), 'debug');
}

function fails(error: CommandError): (call: Call) => void {
  return () => {
    throw error;
  };
}

function changeReplicationId(call: Call): void {
  call.engine.host.log('warning', 'Changing replication IDs after receiving DEBUG change-repl-id');
  call.engine.replication.changeIds();
  call.reply.ok();
}

function rewriteSettings(call: Call): void {
  if (call.engine.settings.file === undefined) {
    throw new CommandError('ERR CONFIG-REWRITE-FORCE-ALL failed: Bad address');
  }
  call.engine.host.rewriteSettings();
  call.reply.ok();
}

function digest(call: Call): void {
  call.reply.status(keyspaceDigest(call.keyspace));
}

function digestValue(call: Call): void {
  call.reply.array(call.argc - 2);
  for (let i = 2; i < call.argc; i++) {
    const entry = call.db.find(call.arg(i));
    call.reply.status(entry === 0 ? NO_VALUE_DIGEST : valueDigest(call.keyspace, call.db, entry));
  }
}

function error(call: Call): void {
  throw new CommandError(call.text(2));
}

function log(call: Call): void {
  call.engine.host.log('warning', `DEBUG LOG: ${call.text(2)}`);
  call.reply.ok();
}

/** DEBUG POPULATE count [prefix] [size]: sets strings `prefix:0` and so on; existing keys are not changed. */
function populate(call: Call): void {
  const count = call.integer(2, errors.mustBePositive);
  const size = call.argc === 5 ? call.integer(4, errors.mustBePositive) : 0;
  if (count < 0 || size < 0) throw errors.mustBePositive;
  const prefix = call.argc > 3 ? call.text(3) : 'key';
  const { keyspace, db } = call;
  for (let i = 0; i < count; i++) {
    const key = Bytes.of(`${prefix}:${i}`);
    if (keyspace.write(db, key) !== 0) continue;
    const text = `value:${i}`;
    const value = size === 0 ? text : text.slice(0, size).padEnd(size, '\0');
    setText(keyspace, db, NO_ENTRY, key, Bytes.of(value));
    call.effects.changed(db, key, EventClass.string, 'set', 0);
  }
  call.reply.ok();
}

function setPackedThreshold(call: Call): void {
  const size = parseMemorySize(call.text(2));
  if (size === undefined || size > LARGEST_PACKED_THRESHOLD) throw BAD_THRESHOLD;
  call.keyspace.limits.listPackedThreshold = size === 0n ? DEFAULT_PACKED_THRESHOLD : Number(size);
  call.reply.ok();
}

const DEFAULT_PACKED_THRESHOLD = 1 << 30;
const LARGEST_PACKED_THRESHOLD = (1n << 32n) - (1n << 20n);

/** DEBUG RELOAD [MERGE] [NOFLUSH] [NOSAVE] */
function reload(call: Call): void {
  let merges = false;
  let flushes = true;
  let saves = true;
  for (let i = 2; i < call.argc; i++) {
    const option = call.arg(i);
    if (option.is('merge')) merges = true;
    else if (option.is('noflush')) flushes = false;
    else if (option.is('nosave')) saves = false;
    else throw BAD_RELOAD_OPTION;
  }
  // Loaded data is not recorded as a change.
  call.effects.replaceByNothing();
  call.engine.persistence.reload({ saves, flushes, merges });
  call.reply.ok();
}

function reloadAppendOnly(call: Call): void {
  call.effects.replaceByNothing();
  call.engine.persistence.reloadAppendOnly();
  call.reply.ok();
}

/** Records the given command without running it. */
function replicate(call: Call): void {
  const words: Bytes[] = [];
  for (let i = 2; i < call.argc; i++) words.push(call.arg(i));
  call.effects.rewrite(call.db, ...words);
  call.reply.ok();
}

/** DEBUG REPLYBUFFER PEAK-RESET-TIME never|reset|ms, DEBUG REPLYBUFFER RESIZING 0|1 */
function replyBuffer(call: Call): void {
  const { replyBuffers } = call.engine;
  if (call.arg(2).is('resizing')) {
    replyBuffers.isResizing = Number.parseInt(call.text(3), 10) !== 0;
  } else if (call.arg(2).is('peak-reset-time')) {
    const time = call.arg(3);
    if (time.is('never')) replyBuffers.peakResetMs = -1;
    else replyBuffers.peakResetMs = time.is('reset') ? DEFAULT_PEAK_RESET_MS : call.integer(3);
  } else {
    throw unknown(call);
  }
  call.reply.ok();
}

function pauseCron(call: Call): void {
  call.engine.pauseBackground(Number.parseInt(call.text(2), 10) > 0);
  call.reply.ok();
}

function setActiveExpire(call: Call): void {
  call.engine.setActiveExpiry(Number.parseInt(call.text(2), 10) > 0);
  call.reply.ok();
}

/** DEBUG SLEEP seconds: blocks the process. */
function sleep(call: Call): void {
  const seconds = Number.parseFloat(call.text(2));
  if (seconds > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, seconds * 1000);
  call.reply.ok();
}
