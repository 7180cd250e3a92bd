-- Takes what was merged out of the cart of the session. Items that were added meanwhile stay.
-- ARGV  id       of the session
--       number   of the offer
--       items    item, count, …

if not cart then return 0 end
local offer = redis.call('HGET', cart, 'offer')
if not offer or cjson.decode(offer).number ~= number then return 0 end
for at = 1, #items, 2 do
  local field = 'i:' .. items[at]
  local left = (tonumber(redis.call('HGET', cart, field)) or 0) - items[at + 1]
  if left > 0 then redis.call('HSET', cart, field, left) else redis.call('HDEL', cart, field) end
end
redis.call('HDEL', cart, 'offer')
if redis.call('EXISTS', cart) == 1 then done() end
return 1
