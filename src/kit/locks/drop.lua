-- The fast path of a release, before the code for other cases is loaded: there is no waiter. For KEYS and ARGV see release.lua.

local wasHeld = redis.call('HDEL', lock, id)
if wasHeld == 1 and redis.call('EXISTS', queue) == 0 then return 1 end
