-- Takes a lock away from its holders, and serves the next waiters. Read after lock-state.lua. Not to be repeated without a holder: it
-- would take the lock from the next one.
-- KEYS  lock, queue, waiters: see lock-state.lua and waiting-line.lua
-- ARGV  only      the holder to take it from; empty: from all
--       keep      min time for which the last token is kept, in ms
-- Returns the number of holders that lost it.

local lost = {}
local count = 0
local kept = {}
for i = 1, #holds do
  local hold = holds[i]
  if only == '' or hold.holder == only then
    redis.call('HDEL', lock, hold.id)
    if not lost[hold.holder] then
      lost[hold.holder] = true
      count = count + 1
    end
  else
    kept[#kept + 1] = hold
  end
end
holds = kept
serveLine()
return count
