-- What users have, for scripts that include this file first. Uses the locals `funds` and `items`: what a user's keys begin with.
--   funds     string: the money of a user, in the smallest unit; no key for 0
--   items     hash: item to count
-- Numbers of up to 2^53 - 1 are exact in Lua. The money of all users together is not more than that.

local function fundsOf(user)
  return tonumber(redis.call('GET', funds .. user) or 0)
end

local function pay(user, amount)
  if amount == 0 then return end
  if redis.call('INCRBY', funds .. user, string.format('%.0f', amount)) == 0 then redis.call('DEL', funds .. user) end
end

-- Adds to the count of an item; may be negative. Returns the new count, or nil if there are too few.
local function carry(user, item, quantity)
  local count = tonumber(redis.call('HGET', items .. user, item) or 0) + quantity
  if count < 0 then return nil end
  if count == 0 then redis.call('HDEL', items .. user, item) else redis.call('HSET', items .. user, item, string.format('%.0f', count)) end
  return count
end
