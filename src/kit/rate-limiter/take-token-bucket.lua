-- The fast path for one token bucket, before the code for other cases is loaded: see decide.lua and token-bucket.lua.

if not keys[2] and action ~= 'change' then
  limit, burst, cost = tonumber(limit), tonumber(burst), tonumber(cost)
  local key, perUnit = keys[1], per * 1000 / limit
  local state = redis.call('GET', key)
  local free = burst
  if state then
    local space = string.find(state, ' ', 1, true)
    local tokens, at = string.sub(state, 1, space - 1), string.sub(state, space + 1)
    free = math.min(burst, tokens + math.max(0, micros - at) / perUnit)
    if tonumber(at) > micros then redis.call('SET', key, string.format('%s %.0f', tokens, micros), 'KEEPTTL') end
  end

  local isAllowed = free + 1e-6 >= cost
  if isAllowed and action == 'take' then
    free = free - cost
    local expiry = math.ceil((burst - free) * perUnit / 1000) + 1
    redis.call('SET', key, string.format('%.9f %.0f', free, micros), 'PX', expiry)
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
