-- Sells what is reserved. Sent twice, it sells once.
-- KEYS  units, holds, reservations, sales: see stock-state.lua
-- ARGV  buyer
--       id       of the reservation
-- Returns 1; 0 if the reservation has lapsed or was cancelled.

if not total then return 0 end
local held, heldId = reservationOf(buyer)
local bought, confirmedId = recordOf(sales, buyer)
if held > 0 and heldId == id then
  drop(buyer)
  sold = sold + held
  redis.call('HSET', sales, buyer, (bought + held) .. ' ' .. id)
  save()
  return 1
end
return confirmedId == id and 1 or 0
