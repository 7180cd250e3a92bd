-- Makes a hold last for another lease, if it has not ended.
-- KEYS  holds, fence: see lock-state.lua
-- ARGV  id            of the acquisition
--       lease         for how many ms from now
--       token         the fence is raised to this at least
--       fence_memory  how many ms the last token is remembered
-- Returns 1 if it is held, 0 if it is not.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local record = redis.call('HGET', holds, id)
if not record then return 0 end
local mode, ends, rest = string.match(record, '^(%a) (%d+) (.*)$')
if tonumber(ends) <= now then return 0 end

local renewed = math.max(tonumber(ends), now + tonumber(lease))
redis.call('HSET', holds, id, mode .. ' ' .. string.format('%.0f', renewed) .. ' ' .. rest)
if redis.call('PTTL', holds) < renewed - now then
  redis.call('PEXPIREAT', holds, string.format('%.0f', renewed))
end
if tonumber(redis.call('GET', fence) or 0) < tonumber(token) then
  redis.call('SET', fence, token, 'PX', fence_memory)
else
  redis.call('PEXPIRE', fence, fence_memory)
end
return 1
