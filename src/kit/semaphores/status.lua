-- How things stand.
-- KEYS  permits, limit, queue
-- ARGV  usual_limit  how many permits there are if nobody has set the limit
-- Returns {limit, permits that are out, how many wait}.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
return {
  tonumber(redis.call('GET', limit) or usual_limit),
  redis.call('ZCOUNT', permits, '(' .. string.format('%.0f', now), '+inf'),
  redis.call('ZCARD', queue),
}
