-- Takes what is there, without waiting.
-- KEYS  meta, shard: see shards.lua
-- ARGV  side    left or right
--       count   how many elements at most
-- Returns the elements, in the order in which they were taken.

return take(side, tonumber(count))
