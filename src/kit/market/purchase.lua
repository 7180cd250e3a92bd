-- Sells a listing.
-- KEYS  base     what the keys of the market begin with; see list.lua
-- ARGV  id
--       buyer
--       price    that the buyer expects
-- Returns {seller, item}, or one of the texts `gone`, `repriced` and the price, `no-funds` and what the buyer has.
-- The money of all users together is at most 2^53 - 1, which is exact in Lua.

local listing = base .. 'listing:' .. id
local found = redis.call('HMGET', listing, 'seller', 'item', 'price')
local seller, item, asked = found[1], found[2], found[3]
if not seller then return 'gone' end
if asked ~= price then return 'repriced ' .. asked end

local purse = base .. 'funds:' .. buyer
if seller == buyer or asked == '0' then
  local has = redis.call('GET', purse) or '0'
  if tonumber(has) < tonumber(asked) then return 'no-funds ' .. has end
else
  local left = redis.call('DECRBY', purse, asked)
  if left <= 0 then
    if left == 0 or left + asked == 0 then redis.call('DEL', purse) else redis.call('INCRBY', purse, asked) end
    if left < 0 then return string.format('no-funds %.0f', left + asked) end
  end
  redis.call('INCRBY', base .. 'funds:' .. seller, asked)
end
redis.call('HINCRBY', base .. 'items:' .. buyer, item, 1)
redis.call('DEL', listing)
redis.call('ZREM', base .. 'prices', id)
return { seller, item }
