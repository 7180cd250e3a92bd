import type { SortedSetValue } from '../../keyspace/values/sorted-set-value.js';
import type { Reply } from '../../resp/reply.js';

/*
 * Members of a sorted set as a reply: an array of them, with scores a flat one of twice the length, in RESP3 one of pairs.
 */

export function replyMembersHeader(reply: Reply, count: number, withScores: boolean): void {
  reply.array(withScores && reply.protocol === 2 ? count * 2 : count);
}

/** The member that the walk has reached. */
export function replyMember(reply: Reply, sortedSet: SortedSetValue, withScores: boolean): void {
  if (withScores && reply.protocol > 2) reply.array(2);
  reply.bulk(sortedSet.member);
  if (withScores) reply.double(sortedSet.memberScore);
}
