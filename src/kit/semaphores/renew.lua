-- Extends permits by another lease, if they have not ended. Read after clock.lua.
-- KEYS  permits: see permit-state.lua
-- ARGV  id     of the acquisition
--       count  its number of permits
--       lease  in ms from now
-- Returns 1 if they are held, 0 if not.

local ends = tonumber(redis.call('ZSCORE', permits, id .. ' 1') or nil)
if not ends or ends <= now then return 0 end

local renewed = string.format('%.0f', math.max(ends, now + lease))
for number = 1, tonumber(count) do redis.call('ZADD', permits, renewed, id .. ' ' .. number) end
if redis.call('PTTL', permits) < renewed - now then redis.call('PEXPIREAT', permits, renewed) end
return 1
