-- Writes entries of one name and severity: into the list of recent ones, and into the counts of the current period.
-- KEYS  recent       list: `time in ms, space, entry as JSON`, newest first
--       common       prefix of the counts: `common .. number of the period` is a sorted set: message → count
-- ARGV  maxRecent    entries kept in the list
--       keepRecent   how long the list is kept after its last entry, in ms
--       period       length of a period in ms
--       maxMessages  different messages counted in a period
--       entries      entries as JSON and their messages in turn

local number = math.floor(now / period)
local counts = common .. string.format('%.0f', number)
local stamp = string.format('%.0f ', now)
maxMessages = tonumber(maxMessages)

for i = 1, #entries, 2 do
  redis.call('LPUSH', recent, stamp .. entries[i])
  local message = entries[i + 1]
  local isNew = not redis.call('ZSCORE', counts, message)
  if isNew and redis.call('ZCARD', counts) >= maxMessages then
    -- The new message takes the place and the count of the rarest one. So a message that is really common is never missing,
    -- and no count is too low.
    local rarest = redis.call('ZPOPMIN', counts)
    redis.call('ZADD', counts, rarest[2] + 1, message)
  else
    redis.call('ZINCRBY', counts, 1, message)
  end
end

redis.call('LTRIM', recent, 0, maxRecent - 1)
redis.call('PEXPIRE', recent, keepRecent)
-- The period after it can still read it.
redis.call('PEXPIREAT', counts, (number + 2) * period)
