-- Ends a production without a value.
-- KEYS  entry, producer, waiters: see entry-state.lua
-- ARGV  id        of the producer
--       pause     if there is a stale value: ms until another client may try
--       outcome   what waiters are told; empty: they claim again

if redis.call('GET', producer) ~= id then return 0 end
if tonumber(pause) > 0 and redis.call('EXISTS', entry) == 1 then
  redis.call('PEXPIRE', producer, pause)
else
  redis.call('DEL', producer)
end
wake(outcome)
return 1
