-- Counts the tasks of each state.
-- KEYS: the keys of the queue. Returns waiting, delayed, active, blocked, completed, dead, schedules, 1 if paused, set aside
-- (these also count as waiting).
local paused = redis.call('HGET', meta, 'paused')
return {
  redis.call('LLEN', waiting) + redis.call('ZCARD', prioritized) + redis.call('ZCARD', aside) +
    redis.call('ZCARD', waiting .. ':groups'),
  redis.call('ZCARD', delayed),
  redis.call('HLEN', holders),
  redis.call('ZCARD', blocked),
  redis.call('LLEN', completed),
  redis.call('ZCARD', dead),
  redis.call('ZCARD', occurrences),
  paused and (paused == '1' or tonumber(paused) > now) and 1 or 0,
  redis.call('ZCARD', aside),
}
