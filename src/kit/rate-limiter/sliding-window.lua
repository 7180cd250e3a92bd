-- Counts exactly what happened within the last `per` ms.
-- KEYS  log     list: when each unit was taken (µs), the oldest first
-- ARGV  limit   how many units are allowed
--       per     within how many ms
--       cost    how many to take
--       take    0: only looks
-- Returns {1 if they can be taken, units left, ms until `cost` units are free, ms until all are free}.

limit, per, cost = tonumber(limit), tonumber(per), tonumber(cost)
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local window = per * 1000

local oldest = redis.call('LINDEX', log, 0)
while oldest and tonumber(oldest) <= now - window do
  redis.call('LPOP', log)
  oldest = redis.call('LINDEX', log, 0)
end

local used = redis.call('LLEN', log)
local isAllowed = used + cost <= limit
if isAllowed and take == '1' then
  -- A clock that was put back must not disturb the order.
  local last = tonumber(redis.call('LINDEX', log, -1) or 0)
  local at = string.format('%.0f', math.max(now, last))
  for _ = 1, cost do redis.call('RPUSH', log, at) end
  redis.call('PEXPIRE', log, math.ceil((at - now) / 1000) + per)
  used = used + cost
end

-- When the unit at this place (from 0) leaves the window.
local function msUntilGone(place)
  local at = redis.call('LINDEX', log, place)
  return at and math.max(1, math.ceil((at + window - now) / 1000)) or 0
end
return { isAllowed and 1 or 0, limit - used, isAllowed and 0 or msUntilGone(used + cost - limit - 1), msUntilGone(-1) }
