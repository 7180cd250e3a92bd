-- Reserves units for a buyer, or changes the quantity of the reservation it has. Sent twice, it returns the same reservation.
-- KEYS  units, holds, reservations, sales: see stock-state.lua
-- ARGV  buyer
--       id          of a new reservation
--       quantity
--       hold        how long a new reservation lasts, in ms
--       perBuyer    max units for one buyer, bought and reserved
-- Returns one of
--   {'reserved', id, quantity, when it lapses}
--   {'sold-out', units available, ms until the next reservation lapses, -1 without one}
--   {'limit', units the buyer has bought}
--   {'unknown'}: the item is not on sale

if not total then return { 'unknown' } end
quantity = tonumber(quantity)
local held, heldId, lapses = reservationOf(buyer)
if held == quantity then return { 'reserved', heldId, held, lapses } end
if held == 0 then drop(buyer) end

local bought = recordOf(sales, buyer)
if bought + quantity > tonumber(perBuyer) then
  save()
  return { 'limit', bought }
end

release(quantity - held)
local available = total - reserved - sold
if available < quantity - held then
  save()
  local first = redis.call('ZRANGE', holds, 0, 0, 'WITHSCORES')
  return { 'sold-out', available, first[2] and first[2] - now or -1 }
end

if held == 0 then
  heldId, lapses = id, now + hold
  redis.call('ZADD', holds, lapses, buyer)
end
redis.call('HSET', reservations, buyer, quantity .. ' ' .. heldId)
reserved = reserved + quantity - held
save()
return { 'reserved', heldId, quantity, lapses }
