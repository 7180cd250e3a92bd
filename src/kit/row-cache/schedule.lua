-- Schedules a row, or removes it.
-- KEYS  due, every, claims: see row-state.lua
-- ARGV  row
--       ms        between two refreshes; 0 or less: the row is removed
--       channel   of the workers
-- Returns {1 if the row was scheduled before, a number that is greater than those of all claims}.

local was = redis.call('HEXISTS', every, row)
if tonumber(ms) <= 0 then
  local number = string.format('%.0f', math.max(micros, (tonumber(redis.call('HGET', claims, 'last')) or 0) + 1))
  unschedule(row)
  return { was, number }
end
redis.call('HSET', every, row, ms)
-- A row that is being refreshed now is refreshed once more: it may have been read before the change that led here.
redis.call('HDEL', claims, 'r:' .. row)
redis.call('ZADD', due, now, row)
redis.call('PUBLISH', channel, row)
return { was, '' }
