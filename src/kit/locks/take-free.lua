-- The fast path to a lock, before the code for other cases is loaded: the lock is free, and no waiter is overtaken
-- against the rules. Read after clock.lua; for KEYS and ARGV see acquire.lua.

local state = redis.call('HGETALL', lock)
if not state[3] and (not state[1] or state[1] == 'fence') and (first == '1' or redis.call('EXISTS', queue) == 0) then
  local token = math.max((state[2] or 0) + 1, micros)
  local text = string.format('%.0f', token)
  redis.call('HSET', lock, 'fence', text, id, string.format('%.0f', now + lease) .. ' ' .. text .. ' ' .. claim)
  -- Setting a time to live takes longer than reading it.
  if redis.call('PTTL', lock) < tonumber(keep) then redis.call('PEXPIRE', lock, 2 * keep) end
  return token
end
