-- Begins or ends that a feed follows a user, or reads whether it does. The feed decides; the user's set of followers is brought in line by
-- attach.lua. Read after clock.lua, numbers.lua, order.lua and feed.lua.
-- KEYS  user, blocked, lists: of the feed's owner; sources, timeline, floor: see feed.lua
-- ARGV  author
--       verb    follow, unfollow, look, or drop: unfollow if the relation is still `state`
--       list    its id; empty for the home
--       state   for drop
--       size    of a timeline
--       max     sources of a feed
-- Returns {time in ms, state (number of the relation, empty if there is none), 1 if something has changed, 1 if the timeline should
-- be refilled}, or a number: -1 no such user, -2 no such list, -3 the owner has blocked the user, -4 too many sources.

if redis.call('EXISTS', user) == 0 then return -1 end
local found = redis.call('ZSCORE', sources, author)
local changed = 0
if verb == 'follow' and not found then
  if list ~= '' and redis.call('HEXISTS', lists, list) == 0 then return -2 end
  if redis.call('ZSCORE', blocked, author) then return -3 end
  if redis.call('ZCARD', sources) >= tonumber(max) then return -4 end
  found = nextNumber()
  redis.call('ZADD', sources, found, author)
  changed = 1
elseif (verb == 'unfollow' and found) or (verb == 'drop' and found == state) then
  redis.call('ZREM', sources, author)
  sift(timeline, author, function() return false end)
  found = false
  changed = 1
end
return { now, found or '', changed, isShort(timeline, floor, tonumber(size)) and 1 or 0 }
