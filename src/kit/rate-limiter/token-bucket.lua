-- Takes tokens from a bucket that is filled at a constant rate.
-- KEYS  bucket  hash: tokens, and the time of that count (µs)
-- ARGV  limit   tokens added …
--       per     … per this number of ms
--       burst   max tokens in the bucket
--       cost    tokens to take
--       take    0: only check
-- Returns {1 if they can be taken, whole tokens left, ms until there are `cost` tokens, ms until the bucket is full}.

limit, per, burst, cost = tonumber(limit), tonumber(per), tonumber(burst), tonumber(cost)
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local perToken = per * 1000 / limit

local state = redis.call('HMGET', bucket, 'tokens', 'at')
local tokens = burst
if state[1] then
  local at = tonumber(state[2])
  tokens = math.min(burst, tonumber(state[1]) + math.max(0, now - at) / perToken)
  -- The clock was set back: fill the bucket from now on, not from the old time.
  if at > now then redis.call('HSET', bucket, 'at', string.format('%.0f', now)) end
end

-- 1e-6 absorbs rounding errors: three steps of a third of the time must fill a bucket.
local isAllowed = tokens + 1e-6 >= cost
if isAllowed and take == '1' then
  tokens = math.max(0, tokens - cost)
  redis.call('HSET', bucket, 'tokens', string.format('%.9f', tokens), 'at', string.format('%.0f', now))
  redis.call('PEXPIRE', bucket, math.ceil((burst - tokens) * perToken / 1000) + 1)
end

local function msUntil(wanted)
  return math.ceil(math.max(0, wanted - 1e-6 - tokens) * perToken / 1000)
end
return { isAllowed and 1 or 0, math.floor(tokens + 1e-6), isAllowed and 0 or msUntil(cost), msUntil(burst) }
