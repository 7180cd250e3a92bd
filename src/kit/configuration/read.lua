-- Reads a record, unless the caller has it already.
-- KEYS  record  hash: version, value (JSON)
-- ARGV  known   the version that the caller has; empty: none
-- Returns {version, time to live in ms or -1, value}, without the value if the version is `known`; {} if there is no record.

local found = redis.call('HMGET', record, 'version', 'value')
if not found[1] then return {} end
local ttl = redis.call('PTTL', record)
if found[1] == known then return { found[1], ttl } end
return { found[1], ttl, found[2] }
