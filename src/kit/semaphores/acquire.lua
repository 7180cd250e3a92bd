-- Takes permits, or returns how long to wait; with a channel, joins the queue of waiters. Can be repeated safely.
-- Read after take-free.lua, which handles free permits.
-- KEYS  permits, limit, queue, waiters: see permit-state.lua and waiting-line.lua
-- ARGV  id           of this acquisition
--       attempt      number of this attempt, from 1
--       count        number of permits
--       lease        in ms
--       channel      where to wake the waiter; empty: do not wait
--       alive        how long the waiter counts as alive, in ms
--       defaultLimit  the limit, if none was set by setLimit
-- Returns {1} if they were taken; {0, ms until the next lease ends} if not;
--         {-1, limit} if `count` is more than the limit.

local wanted = tonumber(count)

-- If leases ended, no client has handed their permits to the next waiters yet.
if not leaseEnd(id) then serveLine() end

local ends = leaseEnd(id)
if ends then
  setLease(id, wanted, math.max(ends, now + lease))
  return { 1 }
end
if areFree(wanted) and not firstInLine() then
  setLease(id, wanted, now + lease)
  return { 1 }
end
if isTooMuch(wanted) then return { -1, presentLimit() } end

if channel ~= '' then joinLine(id, alive, channel, count .. ' ' .. lease .. ' ' .. attempt) end
local first = redis.call('ZRANGE', permits, 0, 0, 'WITHSCORES')[2]
return { 0, math.min(alive, (first or now + alive) - now) }
