-- Takes a listing from the market; its item returns to the seller.
-- KEYS  base     what the keys of the market begin with; see list.lua
-- ARGV  id
--       seller
-- Returns 1; 0 if it is gone, or another user's.

local found = redis.call('HMGET', base .. 'listing:' .. id, 'seller', 'item')
if found[1] ~= seller then return 0 end
redis.call('HINCRBY', base .. 'items:' .. seller, found[2], 1)
redis.call('DEL', base .. 'listing:' .. id)
redis.call('ZREM', base .. 'prices', id)
return 1
