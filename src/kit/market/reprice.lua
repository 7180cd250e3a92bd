-- Changes the price of a listing.
-- KEYS  listing, prices: see list.lua
-- ARGV  id, seller, price
-- Returns 1; 0 if it is gone, or another user's.

if redis.call('HGET', listing .. id, 'seller') ~= seller then return 0 end
redis.call('HSET', listing .. id, 'price', price)
redis.call('ZADD', prices, price, id)
return 1
