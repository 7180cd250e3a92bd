-- Notes a visit, and an item that was viewed.
-- KEYS  recent, shard: see session-state.lua
-- ARGV  id
--       hasItem   1: there is an item
--       item
--       kept      how many viewed items are kept
-- Returns the record as {field, value, …}, with the field `seen`; empty if there is no such session.

local last, names = see(id)
if not last then return {} end
if hasItem == '1' then
  local viewed = belonging(id, 'viewed', names)
  redis.call('ZADD', viewed, string.format('%.0f', micros), item)
  redis.call('ZREMRANGEBYRANK', viewed, 0, -1 - kept)
  redis.call('PEXPIREAT', viewed, last)
end
return seenRecord(id)
