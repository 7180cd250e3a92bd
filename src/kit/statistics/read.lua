-- Reads the summary of a period.
-- KEYS  series   prefix of the keys, see record.lua
-- ARGV  period   its length in ms
--       ago      0: the current period, 1: the one before …
-- Returns {number of the period, fields and values of its summary in turn}.

local number = math.floor(now / period) - ago
return { number, redis.call('HGETALL', series .. string.format('%.0f', number)) }
