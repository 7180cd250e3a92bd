-- Notes the mean of a context among the slowest of a period.
-- KEYS  means    sorted set: context → mean; its name ends with the number of the period
--       counts   hash: context → count of the mean that is ranked
-- ARGV  context, mean, count
--       limit    how many contexts are kept
--       endsAt   when the period is no longer kept, in ms

-- A later answer may arrive first: the mean of more values is the newer one.
if tonumber(redis.call('HGET', counts, context) or 0) > tonumber(count) then return end
redis.call('ZADD', means, mean, context)
redis.call('HSET', counts, context, count)
local extra = redis.call('ZCARD', means) - limit
if extra > 0 then
  for _, dropped in ipairs(redis.call('ZRANGE', means, 0, extra - 1)) do
    redis.call('ZREM', means, dropped)
    redis.call('HDEL', counts, dropped)
  end
end
redis.call('PEXPIREAT', means, endsAt)
redis.call('PEXPIREAT', counts, endsAt)
