import { randomBytes } from 'node:crypto';
import { CommandError } from '../commands/errors.js';
import type { ReplicationPort } from '../commands/replication-port.js';
import { Type } from '../keyspace/kinds.js';
import type { Engine } from './engine.js';

const NO_OTHERS = new CommandError('ERR This engine does not reach other servers');

/** The replication of an engine on its own: a master without replicas. */
export function noReplication(engine: Engine): ReplicationPort {
  let id = newId();
  const refuse = (): never => {
    throw NO_OTHERS;
  };
  return {
    isReplica: false,
    isFailingOver: false,
    goodReplicas: 0,
    offset: 0,
    bufferBytes: 0,
    slowReaderBytes: 0,
    info: () => [
      ['role', 'master'],
      ['connected_slaves', 0],
      ...(engine.demandsReplicas ? ([['min_slaves_good_slaves', 0]] as const) : []),
      ['master_failover_state', 'no-failover'],
      ['master_replid', id],
      ['master_replid2', '0'.repeat(id.length)],
      ['master_repl_offset', 0],
      ['second_repl_offset', -1],
      ['repl_backlog_active', 0],
      ['repl_backlog_size', engine.settings.number('repl-backlog-size')],
      ['repl_backlog_first_byte_offset', 0],
      ['repl_backlog_histlen', 0],
    ],
    role(reply) {
      reply.array(3);
      reply.bulkText('master');
      reply.integer(0);
      reply.array(0);
    },
    follow: refuse,
    lead() {},
    declare() {},
    acknowledged() {},
    acknowledge() {},
    synchronize: refuse,
    wait(call, replicas, deadline) {
      if (replicas <= 0) call.reply.integer(0);
      else {
        const timedOut = (reply: typeof call.reply): void => reply.integer(0);
        call.block({ keys: [], type: Type.string, deadline, serve: () => false, timedOut });
      }
    },
    beforeReplies() {},
    failover: refuse,
    abortFailover: refuse,
    changeIds() {
      id = newId();
    },
    replicaClosed() {},
  };
}

function newId(): string {
  return randomBytes(20).toString('hex');
}
