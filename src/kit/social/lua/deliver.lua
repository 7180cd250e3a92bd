-- Adds a status to feeds that follow its author, or removes it. Read after clock.lua, order.lua and feed.lua. Sent twice, it does the
-- same as sent once. In a Cluster it is called for one feed, otherwise for many.
-- KEYS  heads       what the keys of each feed's owner begin with: one text for three keys takes less time
-- ARGV  author, number
--       isPresent   1: add it; 0: remove it
--       at          when this was read from the author, in ms; maxAge: how old it may be
--       size        of a timeline
--       lists       number of the list that each feed is; none: the feeds are homes
-- Returns a number for each feed: 1 done, 2 done and the timeline should be refilled, 0 it does not follow the author;
-- {} if this is too old: read again.

if now - at > tonumber(maxAge) then return {} end
local member, reply, bottoms, floors = author .. '/' .. number, {}, {}, {}
local areHomes = not lists[1]
size = tonumber(size)
for feed = 1, #heads do floors[feed] = heads[feed] .. (areHomes and 'floor' or 'floor:' .. lists[feed]) end
-- One command for all floors takes less time than one for each.
if isPresent == '1' then bottoms = redis.call('MGET', unpack(floors)) end
for feed = 1, #heads do
  local head, floor, result = heads[feed], floors[feed], 1
  local timeline = head .. (areHomes and 'home' or 'statuses:' .. lists[feed])
  if isPresent == '0' then
    if redis.call('ZREM', timeline, member) == 1 and isShort(timeline, floor, size) then result = 2 end
  elseif not redis.call('ZSCORE', head .. (areHomes and 'following' or 'members:' .. lists[feed]), author) then
    result = 0
  elseif isAbove(number, member, bottoms[feed]) and redis.call('ZADD', timeline, number, member) == 1 then
    trim(timeline, floor, size)
  end
  reply[feed] = result
end
return reply
