-- Ends a wait, or a production that the caller does not know of because the answer was lost.
-- KEYS  entry, producer, waiters: see entry-state.lua
-- ARGV  id   of the caller

redis.call('HDEL', waiters, id)
if redis.call('GET', producer) == id then
  redis.call('DEL', producer)
  wake('')
end
return 0
