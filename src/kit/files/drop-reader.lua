-- Drops a reader, and what only it had not read; with the last one the transfer.
-- KEYS  meta, readers, digests, blocks, room: see transfer-state.lua
-- ARGV  reader
-- Returns how many readers stay; -1 if there is no such transfer, -2 if it has no such reader.

if not isKnown then return UNKNOWN end
if not placeOf(reader) then return STRANGER end
local before = leastRead()
redis.call('ZREM', readers, reader)
redis.call('HDEL', digests, reader)
local staying = redis.call('ZCARD', readers)
if staying == 0 then remove() else dropRead(before) end
return staying
