-- The second fast path of a release: the first waiter lets others overtake. Read after drop.lua and clock.lua.

if wasHeld == 1 then
  local first = redis.call('ZRANGE', queue, 0, 0, 'WITHSCORES')
  -- No waiter is patient for longer than 0.1 s: a number beyond that is left from before the clock was set back.
  local patience = first[2] - micros
  if patience > 0 and patience < 100000 and first[1] ~= id then return 2 + patience end
end
