-- Removes some of the ads, at last also what was learnt about all of them.
-- KEYS  base: see ads.lua
-- ARGV  prior: see ads.lua
--       max   max number of ads
-- Returns the number of ads left.

for _, id in ipairs(redis.call('SRANDMEMBER', base .. 'ids', max)) do removeAd(id) end
local left = redis.call('SCARD', base .. 'ids')
if left == 0 then redis.call('DEL', base .. 'totals') end
return left
