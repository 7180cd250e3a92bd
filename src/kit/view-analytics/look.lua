-- Reads ranks and views.
-- KEYS  views, meta: see view-state.lua
-- ARGV  period    ms after which views count half
--       what      top, or item
--       which     top: how many; item: its name
-- Returns {item, views, …}; for an item {views, how many have more}, empty if it is unknown.

if not base then return {} end
if what == 'item' then
  local score = redis.call('ZSCORE', views, which)
  if not score then return {} end
  local better = redis.call('ZCOUNT', views, '(' .. score, '+inf')
  if following and tonumber(score) < SPLIT then
    -- Of those that have not moved, some may have as many views.
    local same = tonumber(score) * 2 ^ (following - base)
    better = redis.call('ZCOUNT', views, '(' .. score, '(' .. text(SPLIT)) + redis.call('ZCOUNT', views, '(' .. text(same), '+inf')
  end
  return { text(viewsOf(score)), better }
end
local found = redis.call('ZRANGE', views, 0, which - 1, 'REV', 'WITHSCORES')
for at = 2, #found, 2 do found[at] = text(viewsOf(found[at])) end
return found
