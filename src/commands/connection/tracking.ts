import type { Call } from '../call.js';
import type { TrackingOptions } from '../engine-port.js';
import { CommandError, errors } from '../errors.js';
import type { Session, TrackingState } from '../session.js';

/** CLIENT TRACKING ON|OFF [REDIRECT id] [PREFIX prefix …] [BCAST] [OPTIN] [OPTOUT] [NOLOOP] */
export function clientTracking(call: Call): void {
  const options = parseOptions(call);
  const { session, engine, reply } = call;
  if (call.arg(2).is('on')) {
    checkOptions(session.tracking, options);
    if (options.broadcast) checkPrefixes(call, options.prefixes);
    engine.tracking.enable(session, options);
  } else if (call.arg(2).is('off')) {
    engine.tracking.disable(session);
  } else {
    throw errors.syntax;
  }
  reply.ok();
}

function parseOptions(call: Call): TrackingOptions {
  const prefixes: string[] = [];
  const options = { broadcast: false, optIn: false, optOut: false, noLoop: false, redirect: 0, prefixes };
  for (let i = 3; i < call.argc; i++) {
    const word = call.arg(i);
    const hasValue = i + 1 < call.argc;
    if (word.is('redirect') && hasValue) {
      if (options.redirect !== 0)
        throw new CommandError('ERR A client can only redirect to a single other client');
      options.redirect = call.integer(++i);
      if (call.engine.session(options.redirect) === undefined) {
        throw new CommandError('ERR The client ID you want redirect to does not exist');
      }
    } else if (word.is('prefix') && hasValue) prefixes.push(call.text(++i));
    else if (word.is('bcast')) options.broadcast = true;
    else if (word.is('optin')) options.optIn = true;
    else if (word.is('optout')) options.optOut = true;
    else if (word.is('noloop')) options.noLoop = true;
    else throw errors.syntax;
  }
  return options;
}

/** Options must not contradict each other, or the client's present tracking mode. */
function checkOptions(current: TrackingState | undefined, options: TrackingOptions): void {
  if (!options.broadcast && options.prefixes.length > 0) {
    throw new CommandError('ERR PREFIX option requires BCAST mode to be enabled');
  }
  if (current !== undefined && current.broadcast !== options.broadcast) {
    throw new CommandError(
      "ERR You can't switch BCAST mode on/off before disabling tracking for this client, and then re-enabling it with a different mode.",
    );
  }
  if (options.broadcast && (options.optIn || options.optOut)) {
    throw new CommandError('ERR OPTIN and OPTOUT are not compatible with BCAST');
  }
  if (options.optIn && options.optOut) {
    throw new CommandError("ERR You can't specify both OPTIN mode and OPTOUT mode");
  }
  if ((options.optIn && current?.optOut) || (options.optOut && current?.optIn)) {
    throw new CommandError(
      "ERR You can't switch OPTIN/OPTOUT mode before disabling tracking for this client, and then re-enabling it with a different mode.",
    );
  }
}

/**
 * No two prefixes of a client may match the same key. Redis refuses only if the first of the given prefixes overlaps with
 * a later one; for the others it sends the error, switches tracking on nevertheless, and replies again. So do we.
 */
function checkPrefixes(call: Call, prefixes: readonly string[]): void {
  const existing = call.session.tracking?.prefixes ?? [];
  if (!hasOverlap([...existing, ...prefixes])) return;
  for (let i = 0; i < prefixes.length; i++) {
    const prefix = prefixes[i] as string;
    const overlapped = existing.find((other) => overlap(prefix, other));
    if (overlapped !== undefined) throw overlapError(prefix, 'an existing prefix', overlapped);
    const following = prefixes.slice(i + 1).find((other) => overlap(prefix, other));
    if (following === undefined) continue;
    const error = overlapError(prefix, 'another provided prefix', following);
    if (i === 0) throw error;
    call.reply.error(error.text);
    return;
  }
}

/** Whether any two overlap. In order, a prefix stands directly before one that it overlaps with. */
function hasOverlap(prefixes: string[]): boolean {
  prefixes.sort();
  return prefixes.some((prefix, i) => i > 0 && prefix.startsWith(prefixes[i - 1] as string));
}

function overlap(a: string, b: string): boolean {
  return a.startsWith(b) || b.startsWith(a);
}

function overlapError(prefix: string, what: string, other: string): CommandError {
  return new CommandError(
    `ERR Prefix '${prefix}' overlaps with ${what} '${other}'. Prefixes for a single client must not overlap.`,
  );
}

/** CLIENT CACHING YES|NO: for the next command or transaction. */
export function clientCaching(call: Call): void {
  const { tracking } = call.session;
  if (tracking === undefined) {
    throw new CommandError(
      'ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or OPTOUT mode enabled',
    );
  }
  if (call.arg(2).is('yes')) {
    if (!tracking.optIn) {
      throw new CommandError('ERR CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode.');
    }
  } else if (call.arg(2).is('no')) {
    if (!tracking.optOut) {
      throw new CommandError('ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode.');
    }
  } else {
    throw errors.syntax;
  }
  tracking.caching = true;
  call.reply.ok();
}

export function clientGetredir(call: Call): void {
  call.reply.integer(redirectOf(call.session));
}

/** The id of the client that gets the notifications; 0 if it is this one, -1 if tracking is off. */
export function redirectOf(session: Session): number {
  return session.tracking === undefined ? -1 : session.tracking.redirect;
}

export function clientTrackinginfo(call: Call): void {
  const { reply, session } = call;
  const flags = flagsOf(session.tracking);
  const prefixes = session.tracking?.prefixes ?? [];
  reply.map(3);
  reply.bulkText('flags');
  reply.set(flags.length);
  for (const flag of flags) reply.bulkText(flag);
  reply.bulkText('redirect');
  reply.integer(redirectOf(session));
  reply.bulkText('prefixes');
  reply.array(prefixes.length);
  for (const prefix of prefixes) reply.bulkText(prefix);
}

function flagsOf(tracking: TrackingState | undefined): string[] {
  if (tracking === undefined) return ['off'];
  const flags = ['on'];
  if (tracking.broadcast) flags.push('bcast');
  if (tracking.optIn) flags.push('optin');
  if (tracking.optIn && tracking.caching) flags.push('caching-yes');
  if (tracking.optOut) flags.push('optout');
  if (tracking.optOut && tracking.caching) flags.push('caching-no');
  if (tracking.noLoop) flags.push('noloop');
  if (tracking.redirectBroken) flags.push('broken_redirect');
  return flags;
}
