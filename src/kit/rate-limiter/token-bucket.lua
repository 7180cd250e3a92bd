-- Token bucket: units are added at a constant rate, up to `burst`. Read after clock.lua and algorithms.lua.
--   key  hash: tokens, and the time of that count (µs)

algorithms['token-bucket'] = {
  read = function(window)
    local state = redis.call('HMGET', window.key, 'tokens', 'at')
    window.perUnit = window.per * 1000 / window.limit
    window.free = window.burst
    if not state[1] then return end
    local at = tonumber(state[2])
    window.free = math.min(window.burst, state[1] + math.max(0, micros - at) / window.perUnit)
    -- The clock was set back: fill the bucket from now on, not from the old time.
    if at > micros then redis.call('HSET', window.key, 'at', string.format('%.0f', micros)) end
  end,

  write = function(window)
    local missing = (window.burst - window.free) * window.perUnit / 1000
    redis.call('HSET', window.key, 'tokens', string.format('%.9f', window.free), 'at', string.format('%.0f', micros))
    redis.call('PEXPIRE', window.key, math.ceil(missing) + 1)
  end,

  wait = function(window, wanted)
    return (wanted - ROUNDING - window.free) * window.perUnit / 1000
  end,
}
