-- The fast path of a release, before the code for other cases is loaded: one permit is released and there is no waiter.
-- For KEYS and ARGV see release.lua.

local dropped = 0
if count == '1' then
  dropped = redis.call('ZREM', permits, id .. ' 1')
  if dropped == 1 and redis.call('EXISTS', queue) == 0 then return 1 end
end
