-- Reads listings, cheapest first.
-- KEYS  listing, prices: see list.lua
-- ARGV  offset, limit
-- Returns a list: id, seller, item, price …

local page = {}
for _, id in ipairs(redis.call('ZRANGE', prices, offset, offset + limit - 1)) do
  local found = redis.call('HMGET', listing .. id, 'seller', 'item', 'price')
  page[#page + 1] = id
  for at = 1, 3 do page[#page + 1] = found[at] end
end
return page
