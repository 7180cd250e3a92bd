-- Moves a reader's place forward, drops what all have read, and gives the block that comes next.
-- KEYS  meta, readers, digests, blocks, room: see transfer-state.lua
-- ARGV  reader
--       reached   number of the last block it has read; what is not beyond its place changes nothing
--       chain     digest of the chain up to it
-- Returns {place, entries}: the reader's place as it is now, and the next block as {{id, {d, digest, b, bytes}}} or {};
-- -1 if there is no such transfer, -2 if it has no such reader.

if not isKnown then return UNKNOWN end
local place = placeOf(reader)
if not place then return STRANGER end
local target = tonumber(reached)
-- Beyond the last block are only readers of blocks that the store has lost since, which will be sent again.
if target > place and target <= count then
  local before = leastRead()
  redis.call('ZADD', readers, target, reader)
  redis.call('HSET', digests, reader, chain)
  place = target
  dropRead(before)
end
return { place, redis.call('XRANGE', blocks, whole(target + 1) .. '-0', '+', 'COUNT', 1) }
