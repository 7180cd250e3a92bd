-- Takes the lock, or says how long to wait; with a channel, joins the line of waiters. May be repeated.
-- Read after take-free.lua, which deals with a lock that is free.
-- KEYS  lock, queue, waiters: see lock-state.lua and waiting-line.lua
-- ARGV  id        of this acquisition
--       attempt   how often it has asked, this time included
--       mode      x exclusive, s shared
--       holder    who may have the lock several times
--       lease     for how many ms
--       fair      1: after all who wait already
--       turn      how a waiter is let in: see serveLine
--       channel   where to wake the waiter; empty: does not wait
--       alive     for how many ms the waiter counts as alive
--       keep      for how many ms the last token is remembered; not less than the lease
-- Returns the token if it is held; minus the ms until the next lease of another ends if not;
--         0 if the holder has it shared with others and wants it for itself: it would wait for itself.

local mine = holdWith(id)

-- The lease of the last holder may have ended with no client there to pass the lock on.
if fair == '1' and not mine then
  serveLine()
  mine = holdWith(id)
end

if mine then
  mine.ends = math.max(mine.ends, now + lease)
  writeHold(mine)
  return tonumber(mine.token)
end

local former = holdOf(holder)
if isFreeFor(mode, holder) and (former or fair == '0' or not firstInLine()) then
  leaveLine(id)
  return tonumber(take(id, mode, holder, lease))
end
if former and former.mode == 's' then return 0 end

if channel ~= '' then
  joinLine(id, alive, channel, turn .. ' ' .. mode .. ' ' .. lease .. ' ' .. attempt .. ' ' .. holder)
end
local soonest = now + alive
for i = 1, #holds do
  if holds[i].holder ~= holder then soonest = math.min(soonest, holds[i].ends) end
end
return now - soonest
