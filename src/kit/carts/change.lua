-- Changes the count of an item. Read after of-session.lua or of-user.lua.
-- ARGV  item
--       how        set or add
--       count      0 or less in the end removes the item
--       maxItems   different items of a cart
--       maxCount   of an item
-- Returns the count; -1 if there is no such session, -2 if the count is too large, -3 if the cart has too many items.

if not cart then return -1 end
local field = 'i:' .. item
local before = tonumber(redis.call('HGET', cart, field)) or 0
local after = how == 'set' and tonumber(count) or before + count
if after <= 0 then
  redis.call('HDEL', cart, field)
  after = 0
elseif after > tonumber(maxCount) then
  return -2
elseif before == 0 and redis.call('HLEN', cart) >= tonumber(maxItems) then
  return -3
else
  redis.call('HSET', cart, field, after)
end
done()
return after
