import { StoreError } from '../store-error.js';
import { systemTime } from '../time.js';
import type { Request } from '../transport.js';
import type { PendingCall } from './pending-calls.js';
import type { RemoteDriver, RemoteSender } from './remote-driver.js';
import { changesNothing, isRepeatable } from './repeatable.js';

type Kind = RemoteDriver['kind'];
type WaitingSender = Pick<RemoteSender, 'ready' | 'problem' | 'drop'>;

/**
 * Does the work, and repeats it while the caller waits and repeating is safe: the requests were not sent, or are
 * repeatable, or the server refused them for a temporary reason.
 */
export function untilAnswered<T>(
  kind: Kind,
  sender: WaitingSender,
  call: PendingCall,
  requests: readonly Request[],
  work: () => Promise<T>,
): Promise<T> {
  const changes = !requests.every(changesNothing);
  call.mayHaveRun = changes;
  // Nearly every call is answered at the first attempt, which therefore uses as few promises as possible.
  return work().catch((error: unknown) => repeat(kind, sender, call, requests, changes, work, error));
}

async function repeat<T>(
  kind: Kind,
  sender: WaitingSender,
  call: PendingCall,
  requests: readonly Request[],
  changes: boolean,
  work: () => Promise<T>,
  first: unknown,
): Promise<T> {
  let error = first;
  let mayHaveRun = false;
  for (let attempt = 1; ; attempt++) {
    if (call.isOver || !isWorthRepeating(kind, error, requests)) throw error;
    mayHaveRun ||= error.mayHaveRun;
    call.mayHaveRun = mayHaveRun;
    await beforeNext(sender, call, error, attempt, requests[0]);
    if (call.isOver) throw error;
    call.mayHaveRun = mayHaveRun || changes;
    try {
      return await work();
    } catch (next) {
      error = next;
    }
  }
}

export function isWorthRepeating(
  kind: Kind,
  error: unknown,
  requests: readonly Request[],
): error is StoreError {
  if (!(error instanceof StoreError)) return false;
  if (error.code === 'UNREACHABLE') return !error.mayHaveRun || requests.every(isRepeatable);
  return REFUSALS[kind].has(reasonOf(error));
}

/** If a command of a transaction was refused, its error is the reason. */
function reasonOf(error: StoreError): string {
  return error.code === 'EXECABORT' && error.cause instanceof StoreError ? error.cause.code : error.code;
}

/** Errors that mean: the command was not executed, but may be soon. */
const REFUSALS: Readonly<Record<Kind, ReadonlySet<string>>> = {
  standalone: new Set(['LOADING']),
  // READONLY: the server was the master before a failover.
  sentinel: new Set(['LOADING', 'READONLY', 'MASTERDOWN']),
  cluster: new Set(['LOADING', 'READONLY', 'MASTERDOWN', 'CLUSTERDOWN', 'TRYAGAIN', 'MOVED', 'ASK']),
};

/** Waits until it is worth sending the request again. */
export async function beforeNext(
  sender: WaitingSender,
  call: PendingCall,
  error: StoreError,
  attempt: number,
  request: Request | undefined,
): Promise<void> {
  call.offline = () => sender.problem(request) ?? error;
  if (error.code !== 'UNREACHABLE') {
    await systemTime.sleep(Math.min(attempt * REFUSED_PAUSE_MS, MAX_REFUSED_PAUSE_MS));
    if (reasonOf(error) === 'READONLY') sender.drop(request, 'the server is not the master any more');
  }
  await sender.ready(request);
  if (!call.isOver) call.offline = undefined;
}

const REFUSED_PAUSE_MS = 20;
const MAX_REFUSED_PAUSE_MS = 500;
