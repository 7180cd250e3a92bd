-- The fast path for one GCRA window, before the code for other cases is loaded: see decide.lua and gcra.lua.

if not keys[2] and action ~= 'change' then
  limit, burst, cost = tonumber(limit), tonumber(burst), tonumber(cost)
  local key, perUnit = keys[1], per * 1000 / limit
  local free = burst - math.max(0, (redis.call('GET', key) or micros) - micros) / perUnit
  local isAllowed = free + 1e-6 >= cost
  -- After the clock was set back, the code below repairs the key.
  if free + 1e-6 >= -burst then
    if isAllowed and action == 'take' then
      free = free - cost
      local missing = math.max(0, (burst - free) * perUnit)
      local expiry = math.max(1, math.ceil(missing / 1000))
      redis.call('SET', key, string.format('%.2f', micros + missing), 'PX', expiry)
    end

    local missing = -1e-6 - free
    local remaining = math.max(0, math.floor(free + 1e-6))
    return {
      isAllowed and 1 or 0, 0, remaining,
      isAllowed and 0 or math.ceil((cost + missing) * perUnit / 1000),
      remaining < burst and math.ceil((remaining + 1 + missing) * perUnit / 1000) or 0,
      math.max(0, math.ceil((burst + missing) * perUnit / 1000)),
    }
  end
end
