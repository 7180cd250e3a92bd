-- Takes a listing from the market; its item returns to the seller.
-- KEYS  listing, prices: see list.lua; funds, items: see money-and-items.lua
-- ARGV  id
--       seller
-- Returns 1; 0 if it is gone, or another user's.

local found = redis.call('HMGET', listing .. id, 'seller', 'item')
if found[1] ~= seller then return 0 end
carry(seller, found[2], 1)
redis.call('DEL', listing .. id)
redis.call('ZREM', prices, id)
return 1
