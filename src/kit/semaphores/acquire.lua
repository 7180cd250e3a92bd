-- Takes permits, or says how long to wait; with a channel, joins the line of those who wait. May be repeated.
-- Read after take-free.lua, which deals with permits that are free.
-- KEYS  permits, limit, queue, waiters: see permit-state.lua and waiting-line.lua
-- ARGV  id           of this acquisition
--       attempt      how often it has asked, this time included
--       count        how many permits
--       lease        for how many ms
--       channel      where to wake the waiter; empty: does not wait
--       alive        for how many ms the waiter counts as alive
--       usual_limit  how many permits there are if nobody has set the limit
-- Returns {1} if they are held; {0, ms until the next lease ends} if not;
--         {-1, limit} if there are not so many.

local wanted = tonumber(count)

-- Leases may have ended with nobody there to pass the permits on.
if not lease_end(id) then serve_line() end

local ends = lease_end(id)
if ends then
  set_lease(id, wanted, math.max(ends, now + lease))
  return { 1 }
end
if are_free(wanted) and not first_in_line() then
  set_lease(id, wanted, now + lease)
  return { 1 }
end
if is_too_much(wanted) then return { -1, present_limit() } end

if channel ~= '' then join_line(id, alive, channel, count .. ' ' .. lease .. ' ' .. attempt) end
local first = redis.call('ZRANGE', permits, 0, 0, 'WITHSCORES')[2]
return { 0, math.min(alive, (first or now + alive) - now) }
