-- Adds to the weight of an entry.
-- KEYS  plain, weighted, best: see ranking.lua
-- ARGV  entry
--       by      may be negative; a weight never becomes less than 0
-- Returns the new weight as text; nil if there is no such entry.

local weight = weightOf(entry)
if not weight then return false end
weight = math.max(0, weight + by)
place(entry, weight)
return string.format('%.17g', weight)
