-- Puts an item up for sale.
-- KEYS  listing, prices, funds, items: see money-and-items.lua
--         listing    what the keys of listings begin with: hashes of seller, item, price
--         prices     sorted set: ids of listings by price
-- ARGV  id, seller, item, price
-- Returns 1; 0 if the seller does not have the item.

if not carry(seller, item, -1) then return 0 end
redis.call('HSET', listing .. id, 'seller', seller, 'item', item, 'price', price)
redis.call('ZADD', prices, price, id)
return 1
