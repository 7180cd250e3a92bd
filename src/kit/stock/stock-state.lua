-- The units of an item, for scripts that include clock.lua and this file first. Uses the locals `units`, `holds`,
-- `reservations` and `sales`.
--   units          hash: total, reserved, sold. Without it the item is not on sale
--   holds          sorted set: buyers with a reservation, by the time at which it lapses (ms)
--   reservations   hash: buyer to quantity and id of the reservation
--   sales          hash: buyer to quantity bought and id of the last reservation that was confirmed
-- A lapsed reservation counts as reserved until a script releases it.

local counts = redis.call('HMGET', units, 'total', 'reserved', 'sold')
local total, reserved, sold = tonumber(counts[1]), tonumber(counts[2]) or 0, tonumber(counts[3]) or 0

-- The quantity and id in a record; 0 without one.
local function recordOf(key, buyer)
  local record = redis.call('HGET', key, buyer)
  if not record then return 0 end
  local quantity, id = record:match('^(%d+) (.*)$')
  return tonumber(quantity), id
end

-- The reservation of a buyer and when it lapses; 0 if there is none, or it has lapsed.
local function reservationOf(buyer)
  local quantity, id = recordOf(reservations, buyer)
  if quantity == 0 then return 0 end
  local lapses = tonumber(redis.call('ZSCORE', holds, buyer) or 0)
  if lapses <= now then return 0 end
  return quantity, id, lapses
end

-- Ends the reservation of a buyer, if there is one: its units are available again.
local function drop(buyer)
  reserved = reserved - recordOf(reservations, buyer)
  redis.call('HDEL', reservations, buyer)
  redis.call('ZREM', holds, buyer)
end

-- Releases lapsed reservations until this number of units is available, or none is left.
local function release(needed)
  while total - reserved - sold < needed do
    local lapsed = redis.call('ZRANGEBYSCORE', holds, '-inf', now, 'LIMIT', 0, 100)
    if #lapsed == 0 then return end
    for _, buyer in ipairs(lapsed) do drop(buyer) end
  end
end

local function save()
  redis.call('HSET', units, 'total', total, 'reserved', reserved, 'sold', sold)
end
