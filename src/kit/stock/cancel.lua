-- Ends a reservation.
-- KEYS  units, holds, reservations, sales: see stock-state.lua
-- ARGV  buyer
--       id       of the reservation
-- Returns 1; 0 if there was none of this id.

if not total then return 0 end
local _, heldId = recordOf(reservations, buyer)
if heldId ~= id then return 0 end
drop(buyer)
save()
return 1
