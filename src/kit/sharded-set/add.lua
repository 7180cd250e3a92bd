-- Adds members to one shard, and moves the end of the shard's life.
-- KEYS  shard     set
-- ARGV  expiry    time to live of the shard in ms; 0: it stays
--       members
-- Returns how many members are new.

local added = 0
-- Lua's stack limits the number of arguments.
for first = 1, #members, 1000 do
  added = added + redis.call('SADD', shard, unpack(members, first, math.min(first + 999, #members)))
end
if expiry ~= '0' then redis.call('PEXPIRE', shard, expiry) end
return added
