-- Puts an item up for sale.
-- KEYS  base     what the keys of the market begin with
--         listing:ID    hash: seller, item, price
--         prices        sorted set: ids of listings by price
--         items:USER    hash: item to count
--         funds:USER    string: money in the smallest unit; no key for 0
-- ARGV  id, seller, item, price
-- Returns 1; 0 if the seller does not have the item.

local own = base .. 'items:' .. seller
local left = redis.call('HINCRBY', own, item, -1)
if left <= 0 then
  -- A count of 0 has no field.
  redis.call('HDEL', own, item)
  if left < 0 then return 0 end
end
redis.call('HSET', base .. 'listing:' .. id, 'seller', seller, 'item', item, 'price', price)
redis.call('ZADD', base .. 'prices', price, id)
return 1
