-- Changes the price of a listing.
-- KEYS  base     what the keys of the market begin with; see list.lua
-- ARGV  id, seller, price
-- Returns 1; 0 if it is gone, or another user's.

if redis.call('HGET', base .. 'listing:' .. id, 'seller') ~= seller then return 0 end
redis.call('HSET', base .. 'listing:' .. id, 'price', price)
redis.call('ZADD', base .. 'prices', price, id)
return 1
