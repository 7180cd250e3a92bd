-- Pays money in or out.
-- KEYS  funds      the key of a user's money
--       total      string: the money of all users
-- ARGV  amount     negative: out
--       max        of the total
-- Returns what the user has then, as text; 'no-funds' if it is too little, 'full' if the total would exceed `max`.

local has = tonumber(redis.call('GET', funds) or 0) + amount
if has < 0 then return 'no-funds' end
local sum = tonumber(redis.call('GET', total) or 0)
if tonumber(amount) > max - sum then return 'full' end

-- An amount of 0 has no key.
local function set(key, value)
  if value == 0 then redis.call('DEL', key) else redis.call('SET', key, string.format('%.0f', value)) end
end
set(funds, has)
set(total, sum + amount)
return string.format('%.0f', has)
