-- The fast path for one fixed window, before the code for other cases is loaded: see decide.lua and fixed-window.lua.

if not keys[2] and action ~= 'change' then
  limit, cost = tonumber(limit), tonumber(cost)
  local key = keys[1]
  local used = redis.call('GET', key)
  local free = limit - (used or 0)
  local ends = used and math.max(1, redis.call('PTTL', key)) or 0
  local isAllowed = free >= cost
  if isAllowed and action == 'take' then
    free = free - cost
    if used then
      redis.call('INCRBY', key, cost)
    else
      redis.call('SET', key, cost, 'PX', per)
      ends = tonumber(per)
    end
  end
  local wait = free < limit and ends or 0
  return { isAllowed and 1 or 0, 0, math.max(0, free), isAllowed and 0 or ends, wait, wait }
end
