import type { Request } from '../transport.js';
import { ASKING } from './asking.js';

/** Whether the command only reads: a replica may answer it, and sending it twice does no harm. */
export function isReadOnly({ command }: Request): boolean {
  return READ_ONLY.has(command.words[0] as string);
}

/** Whether the request may be sent again when the connection was lost before its answer came. */
export function isRepeatable(request: Request): boolean {
  return request.command.isRepeatable === true || changesNothing(request);
}

/** Whether it makes no difference if the server has executed the request. */
export function changesNothing({ command }: Request): boolean {
  const name = command.words[0] as string;
  return READ_ONLY.has(name) || HARMLESS.has(name);
}

/** The commands that Redis flags as `readonly`; a test compares them with the command table, which is large to load. */
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

/** Commands without that flag that change no data either. */
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
