-- The outcome of each sender's last call, so that a call that is sent twice adds its tasks once: the field
-- receipt:sender of meta holds the number of the call, the server's time in microseconds, and for some scripts the ids,
-- separated by blanks. No client sends again after a minute. If there are many, a new sender removes older receipts.
local KEEP_MICROS = 60000000
local FEW_RECEIPTS = 50

local function tidyReceipts(micros)
  local size = redis.call('HLEN', meta)
  if size < tonumber(redis.call('HGET', meta, 'tidyAt') or FEW_RECEIPTS) then return end
  local fields, left = redis.call('HGETALL', meta), size
  for i = 1, #fields, 2 do
    local time = string.sub(fields[i], 1, 8) == 'receipt:' and string.match(fields[i + 1], '^%d+ (%d+)')
    if time and tonumber(time) < micros - KEEP_MICROS then
      redis.call('HDEL', meta, fields[i])
      left = left - 1
    end
  end
  redis.call('HSET', meta, 'tidyAt', math.max(FEW_RECEIPTS, left * 2))
end
