-- Tells where a reader is.
-- KEYS  meta, readers, digests, blocks, room: see transfer-state.lua
-- ARGV  reader
-- Returns {block size, place, digest of the chain up to it, 1 if that is the end, bytes up to it};
-- -1 if there is no such transfer, -2 if it has no such reader.

if not is_known then return UNKNOWN end
local place = place_of(reader)
if not place then return STRANGER end
local is_over = done == 1 and place == count and 1 or 0
return { block_size, place, redis.call('HGET', digests, reader), is_over, math.min(bytes, place * block_size) }
