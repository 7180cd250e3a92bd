-- Returns the position of a reader.
-- KEYS  meta, readers, digests, blocks, room: see transfer-state.lua
-- ARGV  reader
-- Returns {block size, position, digest of the chain up to it, 1 if that is the end, bytes up to it};
-- -1 if there is no such transfer, -2 if it has no such reader.

if not isKnown then return UNKNOWN end
local place = placeOf(reader)
if not place then return STRANGER end
local isOver = done == 1 and place == count and 1 or 0
return { blockSize, place, redis.call('HGET', digests, reader), isOver, math.min(bytes, place * blockSize) }
