-- Drops shards from the left end.
-- KEYS  meta, shard: see shards.lua
-- ARGV  max    max number of shards
-- Returns the number of elements left.

for _ = 1, tonumber(max) do
  if length == 0 then break end
  length = length - redis.call('LLEN', shard .. first)
  redis.call('UNLINK', shard .. first)
  if length > 0 then first = first + 1 end
end
save()
return length
