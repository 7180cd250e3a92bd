-- Returns the elements of the next shards, for an iteration. Elements never move to another shard.
-- KEYS  meta, shard: see shards.lua
-- ARGV  after   number of the last shard returned; empty: begin
--       count   min number of elements, if there are as many
-- Returns {number of the last shard, its elements and those of the shards before it}; {} at the end.

if length == 0 then return {} end
local number = after == '' and first or math.max(first, after + 1)
if number > last then return {} end

count = tonumber(count)
local reply = { number }
while number <= last and #reply <= count do
  for _, element in ipairs(redis.call('LRANGE', shard .. number, 0, -1)) do reply[#reply + 1] = element end
  reply[1] = number
  number = number + 1
end
return reply
