-- KEYS  status, likes: prefixes; blocked
-- ARGV  number   of the status
--       liker    a user
-- Returns 1; 0 if the user had liked it before; -1 if there is no such status, -2 if its author has blocked the user.

if redis.call('EXISTS', status .. ':' .. number) == 0 then return -1 end
if redis.call('ZSCORE', blocked, liker) then return -2 end
return redis.call('ZADD', likes .. ':' .. number, 'NX', now, liker)
