-- Takes permits, or says how long to wait; with a channel, joins the line of waiters. May be repeated.
-- Read after take-free.lua, which deals with permits that are free.
-- KEYS  permits, limit, queue, waiters: see permit-state.lua and waiting-line.lua
-- ARGV  id           of this acquisition
--       attempt      how often it has asked, this time included
--       count        how many permits
--       lease        for how many ms
--       channel      where to wake the waiter; empty: does not wait
--       alive        for how many ms the waiter counts as alive
--       defaultLimit  how many permits there are if no limit was set
-- Returns {1} if they are held; {0, ms until the next lease ends} if not;
--         {-1, limit} if that is more than the limit.

local wanted = tonumber(count)

-- Leases may have ended with no client there to pass the permits on.
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
