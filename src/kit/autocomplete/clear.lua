-- Removes some of the entries.
-- KEYS  plain, weighted, best: see ranking.lua
-- ARGV  max    max number of entries with a weight
-- Returns the number of entries left.

redis.call('UNLINK', plain)
for _, entry in ipairs(redis.call('ZRANGE', weighted, 0, max - 1)) do
  redis.call('ZREM', weighted, entry)
  inRankings('ZREM', entry)
end
return redis.call('ZCARD', weighted)
