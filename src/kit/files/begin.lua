-- Begins a transfer, unless it exists.
-- KEYS  meta, readers, digests, blocks, room: see transfer-state.lua
-- ARGV  size       bytes per block
--       limit      max bytes held
--       expiry     ms without progress after which it expires
--       remember   ms for which a finished transfer is kept
--       start      digest of the chain before the first block
--       names      the readers; none: do not begin
-- Returns {1 if it is new, the state}; -1 if it does not exist and no readers are given.

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
