-- Tells about the sessions that were not seen for the longest time, after forgetting those that have expired.
-- KEYS  recent, shard: see session-state.lua
-- ARGV  idle    ms without a visit after which a session has expired
--       rank    of the session whose time is wanted, in the order of their times; 0: none
--       count   how many to list
-- Returns {number of sessions, a time (µs) that no visit from now on is before, how many were forgotten, when the session of the rank was
-- seen (µs; empty: there is none), {id, when it was seen (µs), …}}.

local forgotten = forgetExpired(tonumber(idle), 1000)
local ranked = rank ~= '0' and redis.call('ZRANGE', recent, rank, rank, 'WITHSCORES')[2] or ''
local listed = count ~= '0' and redis.call('ZRANGE', recent, 0, count - 1, 'WITHSCORES') or {}
return { redis.call('ZCARD', recent), string.format('%.0f', micros - micros % 2), forgotten, ranked, listed }
