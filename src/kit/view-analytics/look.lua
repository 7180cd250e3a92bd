-- Reads ranks and views.
-- KEYS  views, meta: see record.lua
-- ARGV  period    ms after which views count half
--       what      top, or item
--       which     top: how many; item: its name
-- Returns {item, views, …}; for an item {views, how many have more}, empty if it is unknown.

local base = tonumber(redis.call('HGET', meta, 'base'))
if not base then return {} end
local weight = 2 ^ math.max(0, math.min(1000, math.floor(now / period) - base))
local function counted(score) return string.format('%.17g', score / weight) end

if what == 'item' then
  local score = redis.call('ZSCORE', views, which)
  if not score then return {} end
  return { counted(score), redis.call('ZCOUNT', views, '(' .. score, '+inf') }
end
local found = redis.call('ZRANGE', views, 0, which - 1, 'REV', 'WITHSCORES')
for at = 2, #found, 2 do found[at] = counted(found[at]) end
return found
