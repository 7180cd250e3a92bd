-- Token bucket: units are added at a constant rate, up to `burst`. Read after clock.lua and algorithms.lua.
--   key  string: tokens, a space, and the time of that count (µs)

algorithms['token-bucket'] = {
  read = function(window)
    local state = redis.call('GET', window.key)
    window.perUnit = window.per * 1000 / window.limit
    window.free = window.burst
    if not state then return end
    local tokens, at = string.match(state, '^(%S+) (%d+)$')
    window.free = math.min(window.burst, tokens + math.max(0, micros - at) / window.perUnit)
    -- The clock was set back: fill the bucket from now on, not from the old time.
    if tonumber(at) > micros then redis.call('SET', window.key, string.format('%s %.0f', tokens, micros), 'KEEPTTL') end
  end,

  write = function(window)
    local missing = (window.burst - window.free) * window.perUnit / 1000
    redis.call('SET', window.key, string.format('%.9f %.0f', window.free, micros), 'PX', math.ceil(missing) + 1)
  end,

  wait = function(window, wanted)
    return (wanted - ROUNDING - window.free) * window.perUnit / 1000
  end,
}
