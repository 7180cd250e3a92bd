-- The fast path for several fixed windows without blocks, before the code for other cases is loaded: see decide.lua and fixed-window.lua.

local count = 1 + #others / 4
if not keys[count + 1] and action ~= 'change' then
  cost = tonumber(cost)
  local used = redis.call('MGET', unpack(keys))
  local limits, ends, isAllowed = {}, {}, true
  for i = 1, count do
    limits[i] = tonumber(i == 1 and limit or others[4 * i - 6])
    ends[i] = used[i] and math.max(1, redis.call('PTTL', keys[i])) or 0
    isAllowed = isAllowed and limits[i] - (used[i] or 0) >= cost
  end
  local isTaken = isAllowed and action == 'take'
  local reply = { isAllowed and 1 or 0, 0 }
  for i = 1, count do
    local free, wait = limits[i] - (used[i] or 0), ends[i]
    if isTaken then
      free = free - cost
      if used[i] then
        redis.call('INCRBY', keys[i], cost)
      else
        wait = tonumber(i == 1 and per or others[4 * i - 5])
        redis.call('SET', keys[i], cost, 'PX', wait)
      end
    end
    reply[4 * i - 1] = math.max(0, free)
    reply[4 * i] = not isTaken and free < cost and wait or 0
    reply[4 * i + 1] = free < limits[i] and wait or 0
    reply[4 * i + 2] = reply[4 * i + 1]
  end
  return reply
end
