-- The state of a semaphore. Read after clock.lua, waiting-line.lua and live-waiters.lua.
-- KEYS  permits, limit, queue, waiters
-- ARGV  defaultLimit  the limit, if none was set by setLimit
-- Returns {limit, permits held, waiters}.

return {
  tonumber(redis.call('GET', limit) or defaultLimit),
  redis.call('ZCOUNT', permits, string.format('(%.0f', now), '+inf'),
  liveWaiters(),
}
