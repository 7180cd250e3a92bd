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
local member, reply = author .. '/' .. number, {}
size = tonumber(size)
for index = 1, #keys, 3 do
  local sources, timeline, floor = keys[index], keys[index + 1], keys[index + 2]
  local result = 1
  if isPresent == '0' then
    if redis.call('ZREM', timeline, member) == 1 and isShort(timeline, floor, size) then result = 2 end
  elseif not redis.call('ZSCORE', sources, author) then
    result = 0
  elseif isAbove(number, member, redis.call('GET', floor)) and redis.call('ZADD', timeline, number, member) == 1 then
    trim(timeline, floor, size)
  end
  reply[#reply + 1] = result
end
return reply
