-- Adds entries, or changes their weights.
-- KEYS  plain, weighted, best: see ranking.lua
-- ARGV  entries   for each an entry and its weight; an empty weight keeps the one it has
-- Returns the number of new entries.

local added = 0
for at = 1, #entries, 2 do
  local entry, weight = entries[at], entries[at + 1]
  local current = weightOf(entry)
  if not current then added = added + 1 end
  if weight ~= '' or not current then place(entry, tonumber(weight) or 0) end
end
return added
