-- Drops a reader, and what only it had not read; with the last one the transfer.
-- KEYS  meta, readers, digests, blocks, room: see transfer-state.lua
-- ARGV  reader
-- Returns how many readers stay; -1 if there is no such transfer, -2 if it has no such reader.

if not is_known then return UNKNOWN end
if not place_of(reader) then return STRANGER end
local before = least_read()
redis.call('ZREM', readers, reader)
redis.call('HDEL', digests, reader)
local staying = redis.call('ZCARD', readers)
if staying == 0 then remove() else drop_read(before) end
return staying
