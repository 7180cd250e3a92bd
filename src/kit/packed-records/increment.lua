-- Adds to a field of a record, unless the result does not fit.
-- KEYS  shard    string: records one after the other
-- ARGV  format   of the field, as BITFIELD names it
--       offset   of the field, in bits
--       by
--       exists   offset of the bit that says whether the record exists
-- Returns {the new value}, or {} if it does not fit; then nothing is changed.

local value = redis.call('BITFIELD', shard, 'OVERFLOW', 'FAIL', 'INCRBY', format, offset, by)[1]
if not value then return {} end
redis.call('SETBIT', shard, exists, 1)
return { value }
