-- Counts the units taken within the last `per` ms, exactly.
-- KEYS  log     list: time at which each unit was taken (µs), oldest first
-- ARGV  limit   max units …
--       per     … per this number of ms
--       cost    units to take
--       take    0: only check
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
  -- If the clock was set back, keep the times in order.
  local last = tonumber(redis.call('LINDEX', log, -1) or 0)
  local at = string.format('%.0f', math.max(now, last))
  for _ = 1, cost do redis.call('RPUSH', log, at) end
  redis.call('PEXPIRE', log, math.ceil((at - now) / 1000) + per)
  used = used + cost
end

-- Time at which the unit at this index (from 0) leaves the window.
local function msUntilGone(place)
  local at = redis.call('LINDEX', log, place)
  return at and math.max(1, math.ceil((at + window - now) / 1000)) or 0
end
return { isAllowed and 1 or 0, limit - used, isAllowed and 0 or msUntilGone(used + cost - limit - 1), msUntilGone(-1) }
