-- Adds to a counter, and moves the end of its shard's life.
-- KEYS  shard    hash
-- ARGV  expiry   time to live of the shard in ms; 0: it stays
--       field, by
-- Returns the new value as text: a number of Lua is not exact above 2^53.

redis.call('HINCRBY', shard, field, by)
if expiry ~= '0' then redis.call('PEXPIRE', shard, expiry) end
return redis.call('HGET', shard, field)
