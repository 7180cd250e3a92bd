-- Reads listings, cheapest first.
-- KEYS  base     what the keys of the market begin with; see list.lua
-- ARGV  offset, limit
-- Returns a list: id, seller, item, price …

local page = {}
for _, id in ipairs(redis.call('ZRANGE', base .. 'prices', offset, offset + limit - 1)) do
  local found = redis.call('HMGET', base .. 'listing:' .. id, 'seller', 'item', 'price')
  page[#page + 1] = id
  for at = 1, 3 do page[#page + 1] = found[at] end
end
return page
