-- Removes a record: its bytes become 0.
-- KEYS  shard    string: records one after the other
-- ARGV  offset   of the record, in bytes
--       zeros    as many zero bytes as a record has
-- Returns 1 if there was a record.

local exists = redis.call('GETBIT', shard, offset * 8)
if exists == 1 then redis.call('SETRANGE', shard, offset, zeros) end
return exists
