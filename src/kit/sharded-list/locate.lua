-- Finds elements by index. Read after shards.lua.

-- The number of the shard that has the element at this index, from 0, and the index in that shard.
local function locate(index)
  local ahead = redis.call('LLEN', shard .. first)
  if index < ahead then return first, index end
  if evenSize > 0 then
    index = index - ahead
    return first + 1 + math.floor(index / evenSize), index % evenSize
  end
  local number = first
  while index >= ahead do
    index = index - ahead
    number = number + 1
    ahead = redis.call('LLEN', shard .. number)
  end
  return number, index
end
