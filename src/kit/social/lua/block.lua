-- Blocks a user: ends that they follow each other, here. Read after clock.lua, order.lua and feed.lua.
-- KEYS  user, blocked, followers, lists: of the user; sources, timeline, floor: of the home; members, statuses: prefixes of the
--       members and timelines of lists
-- ARGV  other
-- Returns 1; 0 if it was blocked before, -1 if there is no such user.

if redis.call('EXISTS', user) == 0 then return -1 end
local added = redis.call('ZADD', blocked, 'NX', now, other)
local function never() return false end
redis.call('ZREM', followers, other)
if redis.call('ZREM', sources, other) == 1 then sift(timeline, other, never) end
for _, list in ipairs(redis.call('HKEYS', lists)) do
  if redis.call('ZREM', members .. ':' .. list, other) == 1 then sift(statuses .. ':' .. list, other, never) end
end
return added
