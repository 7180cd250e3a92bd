-- Pays money in or out.
-- KEYS  funds, items: see money-and-items.lua
--       total      string: the money of all users
-- ARGV  user
--       amount     negative: out
--       max        of the total
-- Returns what the user has then, as text; 'no-funds' if it is too little, 'full' if the total would exceed `max`.

local has = fundsOf(user) + amount
if has < 0 then return 'no-funds' end
local sum = tonumber(redis.call('GET', total) or 0)
if tonumber(amount) > max - sum then return 'full' end
pay(user, tonumber(amount))
if sum + amount == 0 then redis.call('DEL', total) else redis.call('SET', total, string.format('%.0f', sum + amount)) end
return string.format('%.0f', has)
