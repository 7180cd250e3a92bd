-- Adds to the current slice of every precision, and removes old slices where there are too many.
-- KEYS  series      prefix of the keys: `series .. precision` is a hash: number of the slice → count
-- ARGV  count       what to add
--       samples     slices to keep
--       precisions  lengths of a slice, in ms
-- Returns the counts of the current slices, in the order of `precisions`.

count, samples = tonumber(count), tonumber(samples)
-- A few slices more than necessary are kept, so that old ones are searched for once in a while, not for every new slice.
local maxSlices = samples + math.max(1, math.floor(samples / 16))

-- A slice far in the future was counted before the clock was set back.
local function sweep(key, current)
  local old = {}
  for _, slice in ipairs(redis.call('HKEYS', key)) do
    if math.abs(slice - current) >= samples then old[#old + 1] = slice end
  end
  for first = 1, #old, 1000 do
    redis.call('HDEL', key, unpack(old, first, math.min(first + 999, #old)))
  end
end

local totals = {}
for i, precision in ipairs(precisions) do
  local key = series .. precision
  local slice = math.floor(now / precision)
  totals[i] = redis.call('HINCRBY', key, slice, count)
  -- Every new slice comes here; so does one whose total returns to `count`, which does no harm.
  if totals[i] == count then
    redis.call('PEXPIREAT', key, (slice + samples) * precision)
    if redis.call('HLEN', key) > maxSlices then sweep(key, slice) end
  end
end
return totals
