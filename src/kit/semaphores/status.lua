-- How things stand. Read after clock.lua.
-- KEYS  permits, limit, queue
-- ARGV  usual_limit  how many permits there are if nobody has set the limit
-- Returns {limit, permits that are out, how many wait}.

return {
  tonumber(redis.call('GET', limit) or usual_limit),
  redis.call('ZCOUNT', permits, string.format('(%.0f', now), '+inf'),
  redis.call('ZCARD', queue),
}
