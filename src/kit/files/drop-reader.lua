-- Drops a reader, and the blocks that only it had not read. Dropping the last reader deletes the transfer.
-- KEYS  meta, readers, digests, blocks, room: see transfer-state.lua
-- ARGV  reader
-- Returns the number of readers left; -1 if there is no such transfer, -2 if it has no such reader.

if not isKnown then return UNKNOWN end
if not placeOf(reader) then return STRANGER end
local before = minRead()
redis.call('ZREM', readers, reader)
redis.call('HDEL', digests, reader)
local staying = redis.call('ZCARD', readers)
if staying == 0 then remove() else dropRead(before) end
return staying
