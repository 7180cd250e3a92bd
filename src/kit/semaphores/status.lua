-- The state of a semaphore. Read after clock.lua.
-- KEYS  permits, limit, queue
-- ARGV  defaultLimit  the limit, if none was set by setLimit
-- Returns {limit, permits held, waiters}.

return {
  tonumber(redis.call('GET', limit) or defaultLimit),
  redis.call('ZCOUNT', permits, string.format('(%.0f', now), '+inf'),
  redis.call('ZCARD', queue),
}
