-- Notes that an entry has a tag.
-- KEYS  entries   sorted set: name of an entry → when it expires (ms)
--       era       string: number of the tag's last invalidation; expires
-- ARGV  name      of the entry
--       ttl       ms for which it lives
-- Returns the number of the last invalidation, 0 if there was none.

redis.call('ZREMRANGEBYSCORE', entries, '-inf', now)
redis.call('ZADD', entries, now + ttl, name)
if redis.call('PTTL', entries) < tonumber(ttl) then redis.call('PEXPIRE', entries, ttl) end
return redis.call('GET', era) or '0'
