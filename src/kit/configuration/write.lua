-- Writes or removes a record, and tells all processes if that changed it.
-- KEYS  record    hash: version, value (JSON)
-- ARGV  value     the new value; empty: remove the record
--       expected  the version that it must have; empty: it must not exist; '*': any
--       expiry    time to live in ms; 0: none
--       channel   where changes are published, as the key of the record
-- Returns {1 if it is written or was so already, its version or ''}; {0, version} if it has another version than expected.

local current = redis.call('HGET', record, 'version') or ''
if expected ~= '*' and expected ~= current then return { 0, current } end

if value == '' then
  if redis.call('DEL', record) == 1 then redis.call('PUBLISH', channel, record) end
  return { 1, '' }
end

expiry = tonumber(expiry)
-- An equal value is no change: no process has to react to it.
if expiry == 0 and redis.call('HGET', record, 'value') == value and redis.call('PTTL', record) == -1 then
  return { 1, current }
end

-- Versions increase, also after the record was removed or a failover has lost the last one.
local version = string.format('%.0f', math.max(micros, (tonumber(current) or 0) + 1))
redis.call('HSET', record, 'version', version, 'value', value)
if expiry > 0 then redis.call('PEXPIRE', record, expiry) else redis.call('PERSIST', record) end
redis.call('PUBLISH', channel, record)
return { 1, version }
