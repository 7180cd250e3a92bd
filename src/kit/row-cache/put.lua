-- Stores a row, unless a later refresh has stored it.
-- KEYS  row      hash: number (of the claim), json; expires
-- ARGV  number   of the claim
--       ttl      ms
--       json     empty: the row is removed, and an earlier refresh cannot bring it back
-- Returns 1 if it was stored.

local before = redis.call('HGET', row, 'number')
if before and tonumber(before) > tonumber(number) then return 0 end
if json == '' then
  redis.call('HDEL', row, 'json')
  redis.call('HSET', row, 'number', number)
  redis.call('PEXPIRE', row, 60000)
  return 1
end
redis.call('HSET', row, 'number', number, 'json', json)
redis.call('PEXPIRE', row, ttl)
return 1
