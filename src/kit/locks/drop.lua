-- The fast path of a release, before the code for other cases is loaded: there is no waiter, or the client knows that the first one lets others
-- overtake. For KEYS and ARGV see release.lua.

local wasHeld = redis.call('HDEL', lock, id)
if wasHeld == 1 then
  if keep == '' then return 2 end
  if redis.call('EXISTS', queue) == 0 then return 1 end
end
