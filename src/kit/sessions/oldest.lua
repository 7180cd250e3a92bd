-- Lists the sessions that were not seen for the longest time, after forgetting those that have expired.
-- KEYS  recent, shard: see session-state.lua
-- ARGV  idle    ms without a visit after which a session has expired
--       count   how many to list
-- Returns {number of sessions, µs now, how many were forgotten, {id, when it was seen (µs), …}}.

local forgotten = forgetExpired(tonumber(idle), 1000)
local listed = tonumber(count) > 0 and redis.call('ZRANGE', recent, 0, count - 1, 'WITHSCORES') or {}
return { redis.call('ZCARD', recent), string.format('%.0f', micros), forgotten, listed }
