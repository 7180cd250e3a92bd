-- Takes the lock, or says how long to wait; with a channel, joins the line of those who wait. May be repeated.
-- KEYS  holds, fence, queue, waiters: see lock-state.lua and waiting-line.lua
-- ARGV  id            of this acquisition
--       mode          x exclusive, s shared
--       holder        who may have the lock several times
--       lease         for how many ms
--       fair          1: after all who wait already
--       channel       where to wake the waiter; empty: does not wait
--       alive         for how many ms the waiter counts as alive
--       fence_memory  how many ms the last token is remembered
-- Returns {1, token} if it is held; {0, ms until the next lease of another ends} if not;
--         {-1} if the holder has it shared with others and wants it for itself: it would wait for itself.

lease, alive = tonumber(lease), tonumber(alive)
local is_fair = fair == '1'

-- The lease of the last holder may have ended with nobody there to pass the lock on.
if is_fair and not held[id] then serve_line() end

local mine = held[id]
if mine then
  mine.ends = math.max(mine.ends, now + lease)
  write_hold(id, mine)
  return { 1, tonumber(mine.token) }
end

local former = hold_of(holder)
if is_free_for(mode, holder) and (former or not is_fair or not first_in_line()) then
  leave_line(id)
  return { 1, tonumber(take(id, mode, holder, lease)) }
end
if former and former.mode == 's' then return { -1 } end

if channel ~= '' then
  join_line(id, alive, channel, { mode = mode, holder = holder, lease = lease, fair = is_fair })
end
local soonest = now + alive
for _, hold in pairs(held) do
  if hold.holder ~= holder then soonest = math.min(soonest, hold.ends) end
end
return { 0, soonest - now }
