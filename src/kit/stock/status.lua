-- Counts the units of an item.
-- KEYS  units, holds, reservations, sales: see stock-state.lua
-- Returns {total, reserved, sold}; nil if the item is not on sale.

if not total then return false end
release(math.huge)
save()
return { total, reserved, sold }
