-- Notes that shards may exist.
-- KEYS  index     set of the numbers of shards that may exist
-- ARGV  expiry    its time to live in ms; 0: it stays
--       numbers   of the shards, at most a few thousand

redis.call('SADD', index, unpack(numbers))
if expiry ~= '0' then redis.call('PEXPIRE', index, expiry) end
return 0
