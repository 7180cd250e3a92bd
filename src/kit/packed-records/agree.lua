-- Compares how programs declare the records, so that no program writes what another one reads differently.
-- KEYS  layout     hash; `schema` is the declaration that is in use (JSON)
-- ARGV  schema     the caller's declaration
--       expected   the declaration that it replaces; empty: none
-- Returns the declaration that is in use now.

local current = redis.call('HGET', layout, 'schema') or ''
if current == expected then
  redis.call('HSET', layout, 'schema', schema)
  return schema
end
return current
