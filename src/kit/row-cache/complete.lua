-- Ends the refresh of a row, and plans the next one.
-- KEYS  due, every, claims: see row-state.lua
-- ARGV  row
--       number   of the claim
--       ms       until the next refresh; empty: the usual time; -1: the row is removed
-- Returns 1; 0 if it was scheduled again or taken by another worker meanwhile; -1 if it was removed.

if redis.call('HGET', claims, 'r:' .. row) ~= number then
  return redis.call('HEXISTS', every, row) == 1 and 0 or -1
end
if ms == '-1' then
  unschedule(row)
  return 1
end
redis.call('HDEL', claims, 'r:' .. row)
redis.call('ZADD', due, now + (ms == '' and redis.call('HGET', every, row) or ms), row)
return 1
