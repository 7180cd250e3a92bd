-- Sells a listing.
-- KEYS  listing, prices: see list.lua; funds, items: see money-and-items.lua
-- ARGV  id
--       buyer
--       price    that the buyer expects
-- Returns {'bought', seller, item}, {'gone'}, {'repriced', price} or {'no-funds', what the buyer has}.

local found = redis.call('HMGET', listing .. id, 'seller', 'item', 'price')
local seller, item, asked = found[1], found[2], found[3]
if not seller then return { 'gone' } end
if asked ~= price then return { 'repriced', asked } end
asked = tonumber(asked)
local has = fundsOf(buyer)
if has < asked then return { 'no-funds', string.format('%.0f', has) } end

if seller ~= buyer then
  pay(buyer, -asked)
  pay(seller, asked)
end
carry(buyer, item, 1)
redis.call('DEL', listing .. id)
redis.call('ZREM', prices, id)
return { 'bought', seller, item }
