-- Takes rows that are due. Another worker gets them only after the lease, if this one has died.
-- KEYS  due, every, claims: see row-state.lua
-- ARGV  max     number of rows
--       lease   ms
-- Returns {ms until the next row is due or -1, row, number of the claim, ms between refreshes, …}.

local taken = {}
for _, row in ipairs(redis.call('ZRANGE', due, '-inf', now, 'BYSCORE', 'LIMIT', 0, max)) do
  local period = redis.call('HGET', every, row)
  -- Numbers never fall, even if the key was lost: they are the server's time at least.
  local number = string.format('%.0f', math.max(micros, (tonumber(redis.call('HGET', claims, 'last')) or 0) + 1))
  redis.call('HSET', claims, 'last', number, 'r:' .. row, number)
  redis.call('ZADD', due, now + lease, row)
  taken[#taken + 1] = row
  taken[#taken + 1] = number
  taken[#taken + 1] = period
end
return { untilNext(), unpack(taken) }
