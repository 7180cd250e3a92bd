-- Changes fields of a session's data; the others stay.
-- KEYS  recent, shard: see session-state.lua
-- ARGV  id
--       removed   how many of the changes are fields to remove
--       changes   the fields to remove, then d:<field>, its JSON, …
-- Returns the record as {field, value, …}, with the field `seen`; empty if there is no such session.

if not see(id) then return {} end
local record = recordOf(id)
removed = tonumber(removed)
for at = 1, removed do redis.call('HDEL', record, changes[at]) end
for at = removed + 1, #changes, 2 do redis.call('HSET', record, changes[at], changes[at + 1]) end
return seenRecord(id)
