-- Reads the series of the finest precision that reaches back far enough.
-- KEYS  series      prefix of the keys, see count.lua
-- ARGV  from        beginning of the range, in ms
--       samples     slices that are kept
--       precisions  lengths of a slice, in ms, ascending
-- Returns {the precision, the server's time in ms, slices and counts in turn}.

from = tonumber(from)
local chosen
for _, precision in ipairs(precisions) do
  chosen = precision
  if from >= (math.floor(now / precision) - samples + 1) * precision then break end
end
return { tonumber(chosen), now, redis.call('HGETALL', series .. chosen) }
