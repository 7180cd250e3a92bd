-- Adds elements at one side, opens shards as they fill up, and wakes as many waiters as there are elements.
-- KEYS  meta, shard: see shards.lua; queue, waiters: see waiting-line.lua
-- ARGV  side    left or right
--       size    elements per shard
--       values  the elements, in the order in which they are pushed
-- Returns the length of the list.

size = tonumber(size)
local push = side == 'left' and 'LPUSH' or 'RPUSH'
local edge = side == 'left' and first or last
local room = size - redis.call('LLEN', shard .. edge)
local done = 0
while done < #values do
  if room <= 0 then
    edge = side == 'left' and edge - 1 or edge + 1
    room = size
  end
  -- Lua's stack limits the number of arguments.
  local count = math.min(room, #values - done, 1000)
  redis.call(push, shard .. edge, unpack(values, done + 1, done + count))
  done = done + count
  room = room - count
end
if side == 'left' then first = edge else last = edge end
if evenSize ~= size then redis.call('HSET', meta, 'size', length == 0 and size or 0) end
length = length + #values
save()
wakeLine(#values)
return length
