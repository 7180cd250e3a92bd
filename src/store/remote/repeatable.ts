import type { Request } from '../transport.js';
import { ASKING } from './asking.js';

/** Whether the command only reads: a replica may answer it, and it may be sent twice. */
export function isReadOnly({ command }: Request): boolean {
  return READ_ONLY.has(command.words[0] as string);
}

/** Whether the request may be sent again when the connection was lost before its answer came. */
export function isRepeatable(request: Request): boolean {
  return request.command.isRepeatable === true || changesNothing(request);
}

/** Whether the request changes no data, so that it does not matter whether the server has executed it. */
export function changesNothing({ command }: Request): boolean {
  const name = command.words[0] as string;
  return READ_ONLY.has(name) || HARMLESS.has(name);
}

/** The commands that Redis flags as `readonly`. A test compares them with the command table, which is too large to load here. */
export const READ_ONLY: ReadonlySet<string> = new Set(
  (
    'BITCOUNT BITFIELD_RO BITPOS DBSIZE DUMP EVALSHA_RO EVAL_RO EXISTS EXPIRETIME FCALL_RO GEODIST GEOHASH GEOPOS ' +
    'GEORADIUSBYMEMBER_RO GEORADIUS_RO GEOSEARCH GET GETBIT GETRANGE HEXISTS HGET HGETALL HKEYS HLEN HMGET HRANDFIELD ' +
    'HSCAN HSTRLEN HVALS KEYS LCS LINDEX LLEN LOLWUT LPOS LRANGE MGET PEXPIRETIME PFCOUNT PTTL RANDOMKEY SCAN SCARD ' +
    'SDIFF SINTER SINTERCARD SISMEMBER SMEMBERS SMISMEMBER SORT_RO SRANDMEMBER SSCAN STRLEN SUBSTR SUNION TOUCH TTL ' +
    'TYPE XLEN XPENDING XRANGE XREAD XREVRANGE ZCARD ZCOUNT ZDIFF ZINTER ZINTERCARD ZLEXCOUNT ZMSCORE ZRANDMEMBER ' +
    'ZRANGE ZRANGEBYLEX ZRANGEBYSCORE ZRANK ZREVRANGE ZREVRANGEBYLEX ZREVRANGEBYSCORE ZREVRANK ZSCAN ZSCORE ZUNION'
  ).split(' '),
);

/** Commands without the `readonly` flag that do not change data. */
const HARMLESS: ReadonlySet<string> = new Set([
  ...[
    'CLUSTER',
    'COMMAND',
    'ECHO',
    'INFO',
    'LASTSAVE',
    'OBJECT',
    'PING',
    'ROLE',
    'TIME',
    'UNWATCH',
    'WATCH',
    'XINFO',
  ],
  ASKING.words[0] as string,
]);
