import type { SortedSetValue } from '../../keyspace/values/sorted-set-value.js';
import type { Reply } from '../../resp/reply.js';

/*
 * Replies with members of a sorted set. With scores: a flat array of twice the length, or an array of pairs in RESP3.
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
