-- Takes one element if there is one for this waiter, or joins the line. May be repeated until an element is given.
-- KEYS  meta, shard: see shards.lua; queue, waiters: see waiting-line.lua
-- ARGV  side      left or right
--       id        of the waiter
--       channel   where to wake it; empty: it does not wait
--       alive     for how many ms the waiter counts as alive
-- Returns the elements taken: one or none.

-- What is there belongs to those first who have waited longer.
firstInLine()
local before = redis.call('ZRANK', queue, id) or redis.call('ZCARD', queue)
if length > before then
  leaveLine(id)
  return take(side, 1)
end
if channel ~= '' then joinLine(id, alive, channel, '') end
return {}
