-- Deletes a status with its likes.
-- KEYS  user, posts, status (prefix), likes (prefix)
-- ARGV  number
-- Returns 1; 0 if there is no such status.

if redis.call('DEL', status .. ':' .. number) == 0 then return 0 end
redis.call('DEL', likes .. ':' .. number)
redis.call('ZREM', posts, number)
-- Clients that are copying the profile notice by this that it has changed.
redis.call('HINCRBY', user, 'deletions', 1)
return 1
