-- Reads the slowest contexts of a period.
-- KEYS  means, counts   prefixes of the keys, see rank.lua
-- ARGV  period   its length in ms
--       ago      0: the current period, 1: the one before …
--       limit    max number of contexts
-- Returns contexts, means and counts in turn, the slowest first.

local number = string.format('%.0f', math.floor(now / period) - ago)
local slowest = redis.call('ZREVRANGE', means .. number, 0, limit - 1, 'WITHSCORES')
local found = {}
for i = 1, #slowest, 2 do
  found[#found + 1] = slowest[i]
  found[#found + 1] = slowest[i + 1]
  found[#found + 1] = redis.call('HGET', counts .. number, slowest[i])
end
return found
