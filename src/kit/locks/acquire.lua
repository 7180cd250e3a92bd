-- Takes the lock, or returns how long to wait; with a channel, joins the queue of waiters. Can be repeated safely.
-- Read after take-free.lua, which handles a free lock.
-- KEYS  lock, queue, waiters: see lock-state.lua and waiting-line.lua
-- ARGV  id        of this acquisition
--       attempt   number of this attempt, from 1
--       mode      x exclusive, s shared
--       holder    the same holder can take the lock several times
--       lease     in ms
--       fair      1: after all current waiters
--       turn      how a waiter gets the lock: see serveLine
--       channel   where to wake the waiter; empty: do not wait
--       alive     how long the waiter counts as alive, in ms
--       keep      how long the last token is kept, in ms; at least the lease
-- Returns the token if the lock was taken; otherwise minus the ms until another holder's lease ends;
--         0 if the holder shares the lock with others and asks for it exclusively: it would wait for itself.

local mine = holdWith(id)

-- If the lease of the last holder ended, no client has handed the lock to the next waiter yet.
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
