-- Moves a reader's position forward, drops blocks that all have read, and returns the next block.
-- KEYS  meta, readers, digests, blocks, room: see transfer-state.lua
-- ARGV  reader
--       reached   number of the last block it has read; no effect if not beyond its position
--       chain     digest of the chain up to it
-- Returns {position, entries}: the reader's current position, and the next block as {{id, {d, digest, b, bytes}}} or {};
-- -1 if there is no such transfer, -2 if it has no such reader.

if not isKnown then return UNKNOWN end
local place = placeOf(reader)
if not place then return STRANGER end
local target = tonumber(reached)
-- A reader can be beyond the last block only if the store lost blocks, which will be sent again.
if target > place and target <= count then
  local before = minRead()
  redis.call('ZADD', readers, target, reader)
  redis.call('HSET', digests, reader, chain)
  place = target
  dropRead(before)
end
return { place, redis.call('XRANGE', blocks, whole(target + 1) .. '-0', '+', 'COUNT', 1) }
