-- Merges a batch of values into the summary of the current period.
-- KEYS  series   prefix of the keys: `series .. number of the period` is a hash: count, mean, m2, min, max, buckets
-- ARGV  period   its length in ms
--       keep     how many periods are kept, the current one included
--       count, mean, m2, min, max   of the batch; m2 is the sum of the squared distances from the mean
--       buckets  names and counts in turn
-- Returns {number of the period, count of the summary, its mean}.

-- Lua prints 14 digits by default, which would lose some.
local function exact(number)
  return string.format('%.17g', number)
end

local current = math.floor(now / period)
local summary = series .. string.format('%.0f', current)
count, mean, m2 = tonumber(count), tonumber(mean), tonumber(m2)
local old = redis.call('HMGET', summary, 'count', 'mean', 'm2', 'min', 'max')

if old[1] then
  -- Distances from the mean are added, never squares of the values: those would cancel each other out.
  local oldCount = tonumber(old[1])
  local all = oldCount + count
  local delta = mean - old[2]
  m2 = old[3] + m2 + delta * delta * oldCount * count / all
  mean = old[2] + delta * count / all
  count = all
  if tonumber(old[4]) < tonumber(min) then min = old[4] end
  if tonumber(old[5]) > tonumber(max) then max = old[5] end
end

redis.call('HSET', summary, 'count', count, 'mean', exact(mean), 'm2', exact(m2), 'min', min, 'max', max)
for i = 1, #buckets, 2 do redis.call('HINCRBY', summary, buckets[i], buckets[i + 1]) end
if not old[1] then redis.call('PEXPIREAT', summary, (current + keep) * period) end
return { current, count, exact(mean) }
