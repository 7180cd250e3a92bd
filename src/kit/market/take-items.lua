-- Takes items from a user.
-- KEYS  items      the key of a user's items: hash of item to count
-- ARGV  item, quantity
-- Returns how many are left; -1 if there are too few.

local left = tonumber(redis.call('HGET', items, item) or 0) - quantity
if left < 0 then return -1 end
if left == 0 then redis.call('HDEL', items, item) else redis.call('HSET', items, item, string.format('%.0f', left)) end
return left
