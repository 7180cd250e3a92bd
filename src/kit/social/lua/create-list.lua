-- KEYS  user, lists
-- ARGV  name
--       max   lists of a user
-- Returns the number of the list; -1 if there is no such user, -2 if there are too many lists.

if redis.call('EXISTS', user) == 0 then return -1 end
if redis.call('HLEN', lists) >= tonumber(max) then return -2 end
local number = nextNumber()
redis.call('HSET', lists, number, name)
return number
