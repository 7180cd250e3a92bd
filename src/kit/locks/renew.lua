-- Extends a hold by another lease, if it has not ended. Read after clock.lua.
-- KEYS  lock: see lock-state.lua
-- ARGV  id        of the acquisition
--       lease     in ms from now
--       token     the fence is raised to at least this token
--       keep      min time for which the last token is kept, in ms
-- Returns 1 if it is held, 0 if it is not.

local found = redis.call('HMGET', lock, id, 'fence')
if not found[1] then return 0 end
local ends, rest = string.match(found[1], '^(%d+) (.*)$')
if tonumber(ends) <= now then return 0 end

local renewed = math.max(ends, now + lease)
if tonumber(found[2] or 0) > tonumber(token) then token = found[2] end
redis.call('HSET', lock, 'fence', token, id, string.format('%.0f', renewed) .. ' ' .. rest)
local most = math.max(renewed - now, keep)
if redis.call('PTTL', lock) < most then redis.call('PEXPIRE', lock, 2 * most) end
return 1
