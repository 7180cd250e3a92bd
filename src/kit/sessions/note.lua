-- Notes that a user has a session.
-- KEYS  sessions   sorted set: id of a session → when it ends at the latest (ms)
-- ARGV  id
--       lifetime   ms
-- Returns the number of sessions noted.

redis.call('ZREMRANGEBYSCORE', sessions, '-inf', now)
redis.call('ZADD', sessions, now + lifetime, id)
if redis.call('PTTL', sessions) < tonumber(lifetime) then redis.call('PEXPIRE', sessions, lifetime) end
return redis.call('ZCARD', sessions)
