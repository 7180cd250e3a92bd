-- Begins a transfer, unless it is there.
-- KEYS  meta, readers, digests, blocks, room: see transfer-state.lua
-- ARGV  size       bytes of a block
--       limit      bytes that may be held
--       expiry     ms without anything going forward after which it is gone
--       remember   ms for which its end is known
--       start      digest of the chain before the first block
--       names      the readers; none: it is not begun
-- Returns {1 if it is new, the state}; -1 if it is not there and has no readers.

if isKnown then return { 0, state() } end
if #names == 0 then return UNKNOWN end
redis.call('HSET', meta, 'blockSize', size, 'space', limit, 'expiry', expiry, 'remember', remember)
redis.call('HSET', meta, 'count', 0, 'bytes', 0, 'digest', start, 'done', 0)
for _, name in ipairs(names) do
  redis.call('ZADD', readers, 0, name)
  redis.call('HSET', digests, name, start)
end
refresh()
return { 1, { tonumber(size), 0, start, 0, tonumber(limit) } }
