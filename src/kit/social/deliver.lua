-- Adds a status to feeds that follow its author, or removes it. Read after clock.lua, order.lua and feed.lua. Sent twice, it does the
-- same as sent once. In a Cluster it is called for one feed, otherwise for many.
-- KEYS  keys        sources, timeline, floor of each feed
-- ARGV  author, number
--       isPresent   1: add it; 0: remove it
--       at          when this was read from the author, in ms; maxAge: how old it may be
--       size        of a timeline
-- Returns a number for each feed: 1 done, 2 done and the timeline should be refilled, 0 it does not follow the author;
-- {} if this is too old: read again.

if now - at > tonumber(maxAge) then return {} end
local member, reply, bottoms = author .. '/' .. number, {}, {}
size = tonumber(size)
if isPresent == '1' then
  -- One command for all floors takes less time than one for each.
  local floors = {}
  for index = 3, #keys, 3 do floors[index / 3] = keys[index] end
  bottoms = redis.call('MGET', unpack(floors))
end
for feed = 1, #keys / 3 do
  local sources, timeline, floor = keys[3 * feed - 2], keys[3 * feed - 1], keys[3 * feed]
  local result = 1
  if isPresent == '0' then
    if redis.call('ZREM', timeline, member) == 1 and isShort(timeline, floor, size) then result = 2 end
  elseif not redis.call('ZSCORE', sources, author) then
    result = 0
  elseif isAbove(number, member, bottoms[feed]) and redis.call('ZADD', timeline, number, member) == 1 then
    trim(timeline, floor, size)
  end
  reply[feed] = result
end
return reply
