-- Adds a block, if it is the next one and there is room. Can be repeated safely: an existing block is not added again.
-- KEYS  meta, readers, digests, blocks, room: see transfer-state.lua
-- ARGV  number     of the block
--       previous   digest of the chain before it
--       following  digest of the chain with it
--       block      its bytes; empty: this is the end
-- Returns the state, which shows the sender whether the block was added; -1 if there is no such transfer.

if not isKnown then return UNKNOWN end
if tonumber(number) == count + 1 and previous == digest and done == 0 and #block <= space - held() then
  redis.call('XADD', blocks, number .. '-0', 'd', following, 'b', block)
  count = count + 1
  bytes = bytes + #block
  digest = following
  done = #block == 0 and 1 or 0
  redis.call('HSET', meta, 'count', count, 'bytes', whole(bytes), 'digest', digest, 'done', done)
  refresh()
end
return state()
