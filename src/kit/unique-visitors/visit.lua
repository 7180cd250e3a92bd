-- Counts a visitor in a shard of today's set, if `day` is today.
-- KEYS  shard      set of the visitors of a day
-- ARGV  visitor    a 64-bit number
--       day        number of the day since 1970, in UTC
--       keep       how many days a day is kept after its end
--       isForced   1: count it for `day`, whatever the time is
-- Returns {1, 1 if the visitor is new}, or {0, number of today} if `day` is another one.

local today = math.floor(now / 86400000)
if isForced ~= '1' and today ~= tonumber(day) then return { 0, today } end

local added = redis.call('SADD', shard, visitor)
if added == 1 then redis.call('PEXPIREAT', shard, string.format('%.0f', (day + 1 + keep) * 86400000)) end
return { 1, added }
