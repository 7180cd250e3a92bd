-- Removes up to 1,000 sessions that were not seen for the longest time, each with what belongs to it.
-- KEYS  recent, shard: see session-state.lua
-- ARGV  before   µs: a session that was seen then or later stays
-- Returns {number of sessions removed, id, user, …}: with the users of those that have one.

local old = redis.call('ZRANGE', recent, '-inf', '(' .. before, 'BYSCORE', 'LIMIT', 0, 1000, 'WITHSCORES')
for at = 1, #old, 2 do collect(old[at], old[at + 1]) end
unlinkCollected()
if #old > 0 then redis.call('ZREMRANGEBYRANK', recent, 0, #old / 2 - 1) end
return answer
