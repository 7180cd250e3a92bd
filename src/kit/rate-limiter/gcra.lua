-- GCRA: a token bucket in one number. Read after clock.lua and algorithms.lua.
--   key  string: when all units will be free (µs); missing: they are

algorithms['gcra'] = {
  read = function(window)
    window.perUnit = window.per * 1000 / window.limit
    local fullAt = tonumber(redis.call('GET', window.key) or micros)
    window.free = window.burst - math.max(0, fullAt - micros) / window.perUnit
    -- The clock was set back: no name owes more than `burst` units.
    if window.free + ROUNDING < -window.burst then
      window.free = -window.burst
      algorithms['gcra'].write(window)
    end
  end,

  write = function(window)
    local missing = math.max(0, (window.burst - window.free) * window.perUnit)
    local expiry = math.max(1, math.ceil(missing / 1000))
    redis.call('SET', window.key, string.format('%.2f', micros + missing), 'PX', expiry)
  end,

  wait = function(window, wanted)
    return (wanted - ROUNDING - window.free) * window.perUnit / 1000
  end,
}
