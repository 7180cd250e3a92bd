-- Takes a block of ids that follow each other. Sent twice, it takes two blocks; no id is in both.
-- KEYS  last     the last id taken
-- ARGV  size     of the block
--       start    min id, or `time`: the server's time in µs
-- Returns the first id of the block as text; nil if ids would exceed 2^53 - 1.

local first = math.max((tonumber(redis.call('GET', last)) or 0) + 1, tonumber(start) or micros)
local final = first + (size - 1)
if final > 9007199254740991 then return false end
redis.call('SET', last, string.format('%.0f', final))
return string.format('%.0f', first)
