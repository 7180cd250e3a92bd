-- Writes fields of one shard, and moves the end of the shard's life.
-- KEYS  shard    hash
-- ARGV  expiry   time to live of the shard in ms; 0: it stays
--       fields   names and values in turn
-- Returns how many fields are new.

local added = 0
-- Lua's stack limits the number of arguments.
for first = 1, #fields, 1000 do
  added = added + redis.call('HSET', shard, unpack(fields, first, math.min(first + 999, #fields)))
end
if expiry ~= '0' then redis.call('PEXPIRE', shard, expiry) end
return added
