import type { Call } from '../../commands/call.js';
import { CommandError } from '../../commands/errors.js';
import { FLAG } from '../../commands/flag.js';
import type { ScriptKind } from '../../commands/scripting-port.js';
import type { Recipients } from '../../keyspace/effects.js';
import type { Engine } from '../engine.js';
import type { ScriptContext } from '../running/admission.js';
import { ScriptEnded } from './script-error.js';
import { ScriptFlag } from './shebang.js';

/** One run of a script or function, from its start to its reply. */
export class ScriptRun implements ScriptContext {
  readonly origin = 'script';
  readonly kind: ScriptKind;
  /** The script's hash or the function's name. */
  readonly name: string;
  /** The command that runs it. Its arguments stay valid as long as it runs. */
  readonly call: Call;
  /** By `performance.now()`. */
  #startedAt: number;
  readonly isReadonly: boolean;
  /** Commands with one of these flags need a check, regardless of the server's state. */
  readonly guardedFlags: number;
  readonly allowsOom: boolean;
  readonly allowsCrossSlotKeys: boolean;
  /** Where its effects are sent: `redis.set_repl`. */
  recipients: Recipients = 'all';
  /** It has called a write command. From then on SCRIPT KILL and the state of the server do not stop it. */
  hasWritten = false;
  /** The client tracks keys, or there are monitors. */
  readonly isObserved: boolean;
  /** It takes too long: other clients get BUSY. */
  isSlow = false;
  isKilled = false;

  constructor(
    kind: ScriptKind,
    name: string,
    call: Call,
    flags: number,
    isReadonlyCommand: boolean,
    startedAt: number,
  ) {
    this.kind = kind;
    this.name = name;
    this.call = call;
    this.#startedAt = startedAt === 0 ? performance.now() : startedAt;
    this.isObserved = call.session.tracking !== undefined || call.engine.monitors.size > 0;
    const isSpecified = (flags & ScriptFlag.unspecified) === 0;
    this.isReadonly = isReadonlyCommand || (isSpecified && (flags & ScriptFlag.noWrites) !== 0);
    this.guardedFlags = FLAG.noscript | (this.isReadonly ? FLAG.write | FLAG.may_replicate : 0);
    this.allowsOom = isSpecified && (flags & ScriptFlag.allowOom) !== 0;
    this.allowsCrossSlotKeys = !isSpecified || (flags & ScriptFlag.allowCrossSlotKeys) !== 0;
  }

  /** Starts counting its time again: it was stopped by the debugger. */
  restart(): void {
    this.#startedAt = performance.now();
  }

  /** How long it has been running. */
  get milliseconds(): number {
    return performance.now() - this.#startedAt;
  }
}

/** Throws if a script with these flags may not run now. A script without flags needs recent data, and is else checked command by command. */
export function checkScriptFlags(
  engine: Engine,
  call: Call,
  flags: number,
  isReadonlyCommand: boolean,
): void {
  if ((flags & ScriptFlag.unspecified) !== 0) {
    const stale = engine.admission.staleRefusal(call);
    if (stale !== undefined) throw stale;
    return;
  }
  if ((flags & ScriptFlag.noCluster) !== 0 && engine.cluster !== undefined) throw NOT_IN_CLUSTER;
  const writes = (flags & ScriptFlag.noWrites) === 0;
  const needsMemory = writes && (flags & ScriptFlag.allowOom) === 0;
  const refused = engine.admission.admitScript(writes, needsMemory, isReadonlyCommand);
  if (refused !== undefined) throw refused;
}

/**
 * The error that ends a script after the time limit of an embedded store. Redis never ends a script that has written; a
 * program that waits for its own engine has no other way out. The error code says whether the script had written: its
 * writes stay, are recorded as one unit, and may be incomplete.
 */
export function timeLimitReached(run: ScriptRun, milliseconds: number): ScriptEnded {
  const ended = `Script ended after ${milliseconds} ms, the scriptTimeout of this store.`;
  return run.hasWritten
    ? new ScriptEnded(`${ended} It was writing: what it wrote until then stays.`, 'SCRIPT_INTERRUPTED')
    : new ScriptEnded(`${ended} It had written nothing.`, 'SCRIPT_TIMEOUT');
}

/** The error for other clients during a slow script. */
export function busyError(kind: ScriptKind): CommandError {
  return kind === 'script' ? BUSY_SCRIPT : BUSY_FUNCTION;
}

const NOT_IN_CLUSTER = new CommandError("ERR Can not run script on cluster, 'no-cluster' flag is set.");
const BUSY_SCRIPT = new CommandError(
  'BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.',
);
const BUSY_FUNCTION = new CommandError(
  'BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE.',
);
