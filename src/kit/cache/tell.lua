-- Numbers an invalidation, and tells all processes.
-- KEYS  news      hash: told (number of the last message), era (number of the last invalidation that has begun); expires
-- ARGV  field     told or era
--       text      of the message 'last number, number, text'; empty: none is sent
-- Returns the number. Numbers are the server's time in µs, so that they grow even if the key was lost.

local last = tonumber(redis.call('HGET', news, field)) or 0
local number = string.format('%.0f', math.max(last + 1, micros))
redis.call('HSET', news, field, number)
redis.call('PEXPIRE', news, 86400000)
if text ~= '' then
  redis.call('PUBLISH', news, string.format('%.0f', last) .. ' ' .. number .. ' ' .. text)
end
return number
