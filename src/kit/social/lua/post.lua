-- Creates a status. Sent twice, it does the same as sent once.
-- KEYS  user, posts, status (prefix), pending: see README
-- ARGV  token   of this call; noted in `pending` until the status is in all timelines
--       text, data
-- Returns the number of the status; empty if there is no such user.

if redis.call('EXISTS', user) == 0 then return '' end
local known = redis.call('HGET', pending, token)
if known then return known end
local number = nextNumber()
redis.call('HSET', status .. ':' .. number, 'text', text, 'data', data, 'posted', now)
redis.call('ZADD', posts, number, number)
redis.call('HSET', pending, token, number)
return number
