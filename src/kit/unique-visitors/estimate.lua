-- Counts a visitor in today's HyperLogLog.
-- KEYS  estimate   prefix of the keys: `estimate .. day` is a HyperLogLog
-- ARGV  visitor
--       keep       how many days a day is kept after its end
-- Returns 1 if the estimate has changed, else 0.

local today = math.floor(now / 86400000)
local key = estimate .. today
local isChanged = redis.call('PFADD', key, visitor)
if isChanged == 1 then
  redis.call('PEXPIREAT', key, string.format('%.0f', (today + 1 + keep) * 86400000))
end
return isChanged
