-- Renews a producer's lease.
-- KEYS  entry, producer, waiters: see entry-state.lua
-- ARGV  id      of the producer
--       lease   ms
-- Returns 1; 0 if the caller is no longer the producer.

if redis.call('GET', producer) ~= id then return 0 end
return redis.call('PEXPIRE', producer, lease)
