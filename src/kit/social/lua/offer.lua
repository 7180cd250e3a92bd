-- Makes a timeline agree with the newest statuses of a user that the feed follows. Read after clock.lua, order.lua and feed.lua. Sent
-- twice, it does the same as sent once.
-- KEYS  sources, timeline, floor: see feed.lua
-- ARGV  author
--       state     of the relation
--       at        when the statuses were read, in ms; maxAge: how old they may be
--       last      the author's last number then: statuses after it are not known here
--       more      number of the newest status that is not offered; empty if all are
--       size      of a timeline
--       numbers   of the statuses
-- Returns 1; -1 if this is too old, -2 if the relation has changed: read again.

if now - at > tonumber(maxAge) then return -1 end
if redis.call('ZSCORE', sources, author) ~= state then return -2 end
local offered = {}
for _, number in ipairs(numbers) do offered[number] = true end
last = tonumber(last)
local lowest = tonumber(more) or 0
sift(timeline, author, function(number)
  return offered[number] or tonumber(number) > last or tonumber(number) <= lowest
end)
if more ~= '' then raiseFloor(timeline, floor, more, author .. '/' .. more) end
local bottom = redis.call('GET', floor)
for _, number in ipairs(numbers) do
  local member = author .. '/' .. number
  if isAbove(number, member, bottom) then redis.call('ZADD', timeline, number, member) end
end
trim(timeline, floor, tonumber(size))
return 1
