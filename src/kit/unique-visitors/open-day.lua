-- Decides once into how many shards a day is divided, and forgets days that are not kept.
-- KEYS  days     hash: number of the day → number of its shards
-- ARGV  day
--       shards   if the day has none yet
--       keep     how many days a day is kept after its end
-- Returns the number of shards of the day.

redis.call('HSETNX', days, day, shards)
for _, known in ipairs(redis.call('HKEYS', days)) do
  if tonumber(known) < day - keep then redis.call('HDEL', days, known) end
end
redis.call('PEXPIREAT', days, string.format('%.0f', (day + 1 + keep) * 86400000))
return redis.call('HGET', days, day)
