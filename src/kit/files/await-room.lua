-- Checks for room; without room, registers the sender to be woken when blocks are dropped.
-- KEYS  meta, readers, digests, blocks, room: see transfer-state.lua
-- ARGV  size   bytes that the sender will add
-- Returns the state; -1 if there is no such transfer.

if not isKnown then return UNKNOWN end
if space - held() < tonumber(size) then redis.call('HSET', meta, 'waiting', 1) end
return state()
