-- Sets how many units of an item there are in all.
-- KEYS  units, holds, reservations, sales: see stock-state.lua
-- ARGV  amount
-- Returns the number of units that are reserved or sold, if they are more than that; nil otherwise.

total = total or 0
release(math.huge)
if reserved + sold > tonumber(amount) then
  if counts[1] then save() end
  return reserved + sold
end
total = tonumber(amount)
save()
return false
