-- Fixed window: it begins with the first unit taken, and all units are free again when it ends. Read after algorithms.lua.
--   key  string: units taken; expires when the window ends

algorithms['fixed-window'] = {
  read = function(window)
    local used = redis.call('GET', window.key)
    window.free = window.limit - (used or 0)
    -- A key without a time to live is not ours: it ends now.
    window.ends = used and math.max(1, redis.call('PTTL', window.key))
  end,

  write = function(window, taken)
    if window.ends then
      redis.call('INCRBY', window.key, taken)
    elseif taken > 0 then
      redis.call('SET', window.key, taken, 'PX', window.per)
      window.ends = window.per
    end
  end,

  wait = function(window, wanted)
    return wanted > window.free and window.ends or 0
  end,
}
