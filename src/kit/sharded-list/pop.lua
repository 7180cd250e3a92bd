-- Takes elements without waiting.
-- KEYS  meta, shard: see shards.lua
-- ARGV  side    left or right
--       count   max number of elements
-- Returns the elements, in the order in which they were taken.

return take(side, tonumber(count))
