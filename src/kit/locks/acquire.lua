-- Takes the lock, or returns how long to wait; with a channel, joins the queue of waiters. Can be repeated safely.
-- Read after take-free.lua, which handles a free lock.
-- KEYS  lock, queue, waiters: see lock-state.lua and waiting-line.lua
-- ARGV  id        of this acquisition
--       claim     'MODE HOLDER': mode x exclusive, s shared; the same holder can take the lock several times
--       lease     in ms
--       keep      how long the last token is kept, in ms, up to twice as long; at least the lease
--       first     1: this is the first attempt, so it is not in the queue yet, and it may overtake waiters
--       request   'TURN FAIR ATTEMPT ALIVE PATIENCE': how a waiter gets the lock, see serveLine; 1: after all current waiters; number of this
--                 attempt, from 1; how long the waiter counts as alive, and how long it lets others overtake, in ms. Few arguments take less
--                 time, and seldom is this one needed
--       channel   where to wake the waiter; empty: do not wait
-- Returns the token if the lock was taken; otherwise minus the ms until another holder's lease ends;
--         0 if the holder shares the lock with others and asks for it exclusively: it would wait for itself.

local mode, holder = string.match(claim, '^(%a) (.*)$')
local turn, fair, attempt, alive, patience = string.match(request, '^(%a) (%d) (%d+) (%d+) (%d+)$')
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
  joinLine(id, alive, channel, turn .. ' ' .. mode .. ' ' .. lease .. ' ' .. attempt .. ' ' .. holder, patience)
end
local soonest = now + alive
for i = 1, #holds do
  if holds[i].holder ~= holder then soonest = math.min(soonest, holds[i].ends) end
end
return now - soonest
