-- Merges an offer into the cart of a user, once. Read after of-user.lua.
-- KEYS  cart: see of-user.lua; merged: sorted set, number of an offer → when it was merged (ms); expires
-- ARGV  keep       ms for which the cart is kept
--       number     of the offer
--       how        add, max, keep or replace
--       maxItems, maxCount: see change.lua
--       items      item, count, …
-- Returns the items for which there was no room.

local refused = {}
if redis.call('ZSCORE', merged, number) then return refused end
for at = 1, #items, 2 do
  local field, offered = 'i:' .. items[at], tonumber(items[at + 1])
  local before = tonumber(redis.call('HGET', cart, field))
  local after = offered
  if before then
    if how == 'add' then after = before + offered end
    if how == 'max' then after = math.max(before, offered) end
    if how == 'keep' then after = before end
  end
  if not before and redis.call('HLEN', cart) >= tonumber(maxItems) then
    refused[#refused + 1] = items[at]
  else
    redis.call('HSET', cart, field, math.min(after, tonumber(maxCount)))
  end
end
done()
redis.call('ZREMRANGEBYSCORE', merged, '-inf', now - keep)
redis.call('ZADD', merged, now, number)
redis.call('PEXPIRE', merged, keep)
return refused
