import { splitWords } from '../../bytes/quoting.js';
import type { Call } from '../call.js';
import { CommandError, errors, shownText } from '../errors.js';
import type { ReplicaDeclaration } from '../replication-port.js';

const NOT_IN_CLUSTER = new CommandError('ERR REPLICAOF not allowed in cluster mode.');
const WHILE_FAILING_OVER = new CommandError('ERR REPLICAOF not allowed while failing over.');
const CLIENT_IS_REPLICA = new CommandError('ERR Command is not valid when client is a replica.');
const BAD_PORT = new CommandError('ERR Invalid master port');
const BAD_FLAG = new CommandError('ERR value is out of range, value must between 0 and 1');
const NO_PARTS = new CommandError('ERR Missing rdb-filter-only values');

export function role(call: Call): void {
  call.engine.replication.role(call.reply);
}

/** REPLICAOF host port | REPLICAOF NO ONE */
export function replicaof(call: Call): void {
  const { replication, cluster } = call.engine;
  if (cluster !== undefined) throw NOT_IN_CLUSTER;
  if (replication.isFailingOver) throw WHILE_FAILING_OVER;
  if (call.arg(1).is('no') && call.arg(2).is('one')) {
    replication.lead();
    call.reply.ok();
    return;
  }
  if (call.session.kind === 'replica') throw CLIENT_IS_REPLICA;
  const port = call.integer(2, BAD_PORT);
  if (port < 0 || port > MAX_PORT) throw BAD_PORT;
  if (replication.follow(call.text(1), port)) call.reply.ok();
  else call.reply.status('OK Already connected to specified master');
}

/** PSYNC replicationid offset [FAILOVER]: the reply, and all that follows it, is sent outside the command. */
export function psync(call: Call): void {
  const isFailover = call.argc > 3 && call.arg(3).is('failover');
  const request = { id: call.text(1), next: offsetOf(call), isOld: false, isFailover };
  call.engine.replication.synchronize(call.session, request);
}

function offsetOf(call: Call): number {
  try {
    return call.integer(2);
  } catch (error) {
    const { host } = call.engine;
    host.log('warning', `Replica ${call.session.address} asks for synchronization but with a wrong offset`);
    throw error;
  }
}

export function sync(call: Call): void {
  const request = { id: '?', next: -1, isOld: true, isFailover: false };
  call.engine.replication.synchronize(call.session, request);
}

/** REPLCONF option value …: what replica and master tell each other. ACK and GETACK get no reply. */
export function replconf(call: Call): void {
  if (call.argc % 2 === 0) throw errors.syntax;
  const { replication } = call.engine;
  const { session } = call;
  for (let i = 1; i < call.argc; i += 2) {
    const option = call.arg(i);
    if (option.is('ack')) {
      const offset = Number(call.text(i + 1));
      if (Number.isSafeInteger(offset)) replication.acknowledged(session, offset);
      return;
    }
    if (option.is('getack')) {
      replication.acknowledge(session);
      return;
    }
    replication.declare(session, declaration(call, i));
  }
  call.reply.ok();
}

function declaration(call: Call, index: number): ReplicaDeclaration {
  const option = call.arg(index);
  const value = index + 1;
  if (option.is('listening-port')) return { listeningPort: call.integer(value) };
  if (option.is('ip-address')) return { address: addressArgument(call, value) };
  if (option.is('capa')) return { capability: call.text(value).toLowerCase() };
  if (option.is('rdb-only')) return { snapshotOnly: call.integerWithin(value, 0, 1, BAD_FLAG) === 1 };
  if (option.is('rdb-filter-only')) return { parts: partsArgument(call, value) };
  throw new CommandError(`ERR Unrecognized REPLCONF option: ${shownText(call.text(index))}`);
}

function addressArgument(call: Call, index: number): string {
  const address = call.text(index);
  if (address.length < MAX_ADDRESS) return address;
  throw new CommandError(
    `ERR REPLCONF ip-address provided by replica instance is too long: ${address.length} bytes`,
  );
}

function partsArgument(call: Call, index: number): readonly string[] {
  const parts = splitWords(call.text(index));
  if (parts === undefined) throw NO_PARTS;
  const unknown = parts.find((part) => part.toLowerCase() !== 'functions');
  if (unknown === undefined) return parts.map((part) => part.toLowerCase());
  throw new CommandError(`ERR Unsupported rdb-filter-only option: ${shownText(unknown)}`);
}

/** FAILOVER [TO host port [FORCE]] [ABORT] [TIMEOUT milliseconds] */
export function failover(call: Call): void {
  if (call.engine.cluster !== undefined) throw FAILOVER_IN_CLUSTER;
  let target: { host: string; port: number } | undefined;
  let timeout = 0;
  let hasTimeout = false;
  let abort = false;
  let force = false;
  for (let i = 1; i < call.argc; i++) {
    const option = call.arg(i);
    if (option.is('timeout') && i + 1 < call.argc && !hasTimeout) {
      timeout = call.integer(++i);
      hasTimeout = true;
      if (timeout <= 0) throw BAD_TIMEOUT;
    } else if (option.is('abort') && call.argc === 2) {
      abort = true;
    } else if (option.is('to') && i + 2 < call.argc && target === undefined) {
      target = { host: call.text(i + 1), port: call.integer(i + 2) };
      i += 2;
    } else if (option.is('force') && !force) {
      force = true;
    } else {
      throw errors.syntax;
    }
  }
  const { replication } = call.engine;
  if (abort) replication.abortFailover();
  else replication.failover({ target, force, timeout });
  call.reply.ok();
}

const FAILOVER_IN_CLUSTER = new CommandError(
  'ERR FAILOVER not allowed in cluster mode. Use CLUSTER FAILOVER command instead.',
);
const BAD_TIMEOUT = new CommandError('ERR FAILOVER timeout must be greater than 0');

const MAX_PORT = 65535;
const MAX_ADDRESS = 256;
