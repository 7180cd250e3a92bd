-- Renews the lease of a row that is being refreshed.
-- KEYS  due, every, claims: see row-state.lua
-- ARGV  row
--       number   of the claim
--       lease    ms
-- Returns 1; 0 if the claim is gone.

if redis.call('HGET', claims, 'r:' .. row) ~= number then return 0 end
redis.call('ZADD', due, now + lease, row)
return 1
