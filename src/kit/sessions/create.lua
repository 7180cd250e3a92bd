-- Creates a session, or replaces the data of an existing one.
-- KEYS  recent, shard: see session-state.lua
-- ARGV  id
--       user       empty: none
--       idle       ms without a visit after which it ends
--       lifetime   ms after which it ends in any case
--       maxIdle    ms without a visit after which any session of the shard has ended
--       expected   'new': its id was never used; 'any': create or replace it, unless it was revoked
--       fields     d:<field>, its JSON, …
-- Returns the record as {field, value, …}, with the field `seen`; empty if it was revoked.

local record = recordOf(id)
if expected == 'any' then
  if redis.call('EXISTS', shard .. 'revoked:' .. id) == 1 then return {} end
  for _, field in ipairs(redis.call('HKEYS', record)) do
    if string.sub(field, 1, 2) == 'd:' or field == 'until' then redis.call('HDEL', record, field) end
  end
end
redis.call('HSETNX', record, 'created', now)
redis.call('HSETNX', record, 'ends', now + lifetime)
redis.call('HSET', record, 'idle', idle)
if user == '' then redis.call('HDEL', record, 'user') else redis.call('HSET', record, 'user', user) end
for at = 1, #fields, 100 do redis.call('HSET', record, unpack(fields, at, math.min(at + 99, #fields))) end
forgetExpired(tonumber(maxIdle), 10)
if not see(id) then return {} end
return seenRecord(id)
