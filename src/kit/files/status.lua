-- Returns the positions of the sender and all readers.
-- KEYS  meta, readers, digests, blocks, room: see transfer-state.lua
-- Returns {count, bytes, 1 if all is sent, bytes held, {reader, position, …}}; -1 if there is no such transfer.

if not isKnown then return UNKNOWN end
return { count, bytes, done, held(), redis.call('ZRANGE', readers, 0, -1, 'WITHSCORES') }
