-- The fast path for one unit of one sliding window, before the code for other cases is loaded: see decide.lua and sliding-window.lua.

if not keys[2] and action == 'take' and cost == '1' then
  local key, window = keys[1], per * 1000
  local oldest = tonumber(redis.call('LINDEX', key, 0) or nil)
  while oldest and oldest <= micros - window do
    redis.call('LPOP', key)
    oldest = tonumber(redis.call('LINDEX', key, 0) or nil)
  end
  local used = oldest and redis.call('LLEN', key) or 0
  if used < tonumber(limit) then
    -- If the clock was set back, keep the times in order.
    local at = math.max(micros, used > 0 and tonumber(redis.call('LINDEX', key, -1)) or 0)
    redis.call('RPUSH', key, string.format('%.0f', at))
    redis.call('PEXPIRE', key, math.ceil((at - micros + window) / 1000))
    local full = math.ceil((at - micros + window) / 1000)
    return { 1, 0, limit - used - 1, 0, oldest and math.max(1, math.ceil((oldest - micros + window) / 1000)) or full, full }
  end
end
