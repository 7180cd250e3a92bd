-- Makes permits last for another lease, if they have not ended.
-- KEYS  permits: see permit-state.lua
-- ARGV  id     of the acquisition
--       count  how many permits it has
--       lease  for how many ms from now
-- Returns 1 if they are held, 0 if not.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local ends = tonumber(redis.call('ZSCORE', permits, id .. ' 1') or nil)
if not ends or ends <= now then return 0 end

local renewed = string.format('%.0f', math.max(ends, now + tonumber(lease)))
for number = 1, tonumber(count) do redis.call('ZADD', permits, renewed, id .. ' ' .. number) end
if redis.call('PTTL', permits) < renewed - now then redis.call('PEXPIREAT', permits, renewed) end
return 1
