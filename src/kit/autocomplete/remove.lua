-- Removes entries.
-- KEYS  plain, weighted, best: see ranking.lua
-- ARGV  entries
-- Returns how many there were.

local removed = 0
for _, entry in ipairs(entries) do
  if redis.call('ZREM', plain, entry) == 1 then
    removed = removed + 1
  elseif redis.call('ZREM', weighted, entry) == 1 then
    inRankings('ZREM', entry)
    removed = removed + 1
  end
end
return removed
