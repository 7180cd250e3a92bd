-- Stores a value, unless the caller is no longer its producer: the entry was invalidated, or its lease ended.
-- KEYS  entry, producer, waiters: see entry-state.lua
-- ARGV  id      of the producer
--       fresh   ms for which the value is fresh
--       stale   ms for which it may be used after that, while another one is produced
--       tags    JSON: a list
--       body
-- Returns 1 if it was stored.

if redis.call('GET', producer) ~= id then return 0 end
redis.call('DEL', producer)
redis.call('HSET', entry, 'body', body, 'fresh', now + fresh, 'tags', tags)
redis.call('PEXPIRE', entry, fresh + stale)
wake('')
return 1
