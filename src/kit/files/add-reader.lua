-- Adds a reader, if no block was dropped yet.
-- KEYS  meta, readers, digests, blocks, room: see transfer-state.lua
-- ARGV  reader
--       start   digest of the chain before the first block
-- Returns 1, 0 if blocks have been dropped; -1 if there is no such transfer.

if not isKnown then return UNKNOWN end
if placeOf(reader) then return 1 end
if minRead() > 0 then return 0 end
redis.call('ZADD', readers, 0, reader)
redis.call('HSET', digests, reader, start)
refresh()
return 1
