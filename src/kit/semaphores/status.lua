-- How things stand. Read after clock.lua.
-- KEYS  permits, limit, queue
-- ARGV  defaultLimit  how many permits there are if no limit was set
-- Returns {limit, permits that are out, how many wait}.

return {
  tonumber(redis.call('GET', limit) or defaultLimit),
  redis.call('ZCOUNT', permits, string.format('(%.0f', now), '+inf'),
  redis.call('ZCARD', queue),
}
