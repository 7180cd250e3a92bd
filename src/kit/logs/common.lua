-- Reads the most common messages of a period.
-- KEYS  common  prefix of the counts, see write.lua
-- ARGV  period  its length in ms
--       ago     0: the current period, 1: the one before
--       limit   max number of messages
-- Returns messages and counts in turn, the most common first.

local number = math.floor(now / period) - ago
return redis.call('ZREVRANGE', common .. string.format('%.0f', number), 0, limit - 1, 'WITHSCORES')
