-- Returns elements by index.
-- KEYS  meta, shard: see shards.lua
-- ARGV  from, to   indexes of the first and the last element, from 0; below 0: from the right
-- Returns the elements.

from, to = tonumber(from), tonumber(to)
if from < 0 then from = math.max(0, length + from) end
if to < 0 then to = length + to end
to = math.min(to, length - 1)
if from > to then return {} end

local number, index = locate(from)
local left = to - from + 1
local elements = {}
while left > 0 do
  local part = redis.call('LRANGE', shard .. number, index, index + left - 1)
  for i = 1, #part do elements[#elements + 1] = part[i] end
  left = left - #part
  number = number + 1
  index = 0
end
return elements
