-- Takes one element if there is one for this waiter, or joins the line. Can be repeated until it returns an element.
-- KEYS  meta, shard: see shards.lua; queue, waiters: see waiting-line.lua
-- ARGV  side      left or right
--       id        of the waiter
--       channel   where to wake it; empty: do not wait
--       alive     how long the waiter counts as alive, in ms
-- Returns the elements taken: one or none.

-- Clients that have waited longer are served first.
firstInLine()
local before = redis.call('ZRANK', queue, id) or redis.call('ZCARD', queue)
if length > before then
  leaveLine(id)
  return take(side, 1)
end
if channel ~= '' then joinLine(id, alive, channel, '') end
return {}
