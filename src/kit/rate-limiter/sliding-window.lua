-- Sliding window: no period of `per` ms ever has more than `limit` units. Read after clock.lua and algorithms.lua.
--   key  list: time at which each unit was taken (µs), oldest first

-- Lua's stack limits the number of arguments.
local UNITS_AT_ONCE = 1000

algorithms['sliding-window'] = {
  read = function(window)
    local gone = micros - window.per * 1000
    local oldest = redis.call('LINDEX', window.key, 0)
    while oldest and tonumber(oldest) <= gone do
      redis.call('LPOP', window.key)
      oldest = redis.call('LINDEX', window.key, 0)
    end
    window.free = window.limit - (oldest and redis.call('LLEN', window.key) or 0)
  end,

  write = function(window, taken)
    if taken < 0 then
      redis.call('RPOP', window.key, -taken)
      return
    end
    -- If the clock was set back, keep the times in order.
    local at = math.max(micros, tonumber(redis.call('LINDEX', window.key, -1) or 0))
    local times = {}
    for i = 1, math.min(taken, UNITS_AT_ONCE) do times[i] = string.format('%.0f', at) end
    for done = 0, taken - 1, UNITS_AT_ONCE do
      redis.call('RPUSH', window.key, unpack(times, 1, math.min(taken - done, UNITS_AT_ONCE)))
    end
    redis.call('PEXPIRE', window.key, math.ceil((at - micros) / 1000) + window.per)
  end,

  -- When enough of the oldest units have left the window.
  wait = function(window, wanted)
    if wanted <= window.free then return 0 end
    local at = redis.call('LINDEX', window.key, wanted - window.free - 1)
    return at and math.max(1, (at - micros) / 1000 + window.per) or window.per
  end,
}
