-- The numbers that a user gives to statuses, lists and relations: the server's time in µs, always greater than the one before.
-- Read after clock.lua. Uses the local `user`, a key.

-- Lua would format a large number as 1.7e+15.
local function nextNumber()
  local last = tonumber(redis.call('HGET', user, 'clock')) or 0
  local number = string.format('%.0f', math.max(micros, last + 1))
  redis.call('HSET', user, 'clock', number)
  return number
end
