-- The fast path to a lock, before the code for other cases is loaded: the lock is free, and no waiter is overtaken
-- against the rules. Read after clock.lua; for KEYS and ARGV see acquire.lua.

local state = redis.call('HGETALL', lock)
-- On its first attempt a client is not in the queue yet.
local isNext = fair == '0' and attempt == '1' or redis.call('EXISTS', queue) == 0
if isNext and not state[3] and (not state[1] or state[1] == 'fence') then
  local token = math.max((state[2] or 0) + 1, micros)
  local text = string.format('%.0f', token)
  local hold = mode .. ' ' .. string.format('%.0f', now + lease) .. ' ' .. text .. ' ' .. holder
  redis.call('HSET', lock, 'fence', text, id, hold)
  redis.call('PEXPIRE', lock, keep)
  return token
end
