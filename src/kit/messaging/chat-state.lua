-- What the scripts of a chat share; comes before each of them. Uses the locals `members`, `messages` and `last`.
--   members   zset: member -> number of the last message it has read
--   messages  stream: an entry n-0 for message n, with the fields from, at (ms) and m (JSON); only what has not been read by all
--   last      string: number of the newest message
-- A chat is there as long as it has members.

local UNKNOWN, STRANGER = -1, -2

local function newest()
  return tonumber(redis.call('GET', last) or 0)
end

-- Where the member is, or nil and why there is no such place.
local function positionOf(member)
  local position = redis.call('ZSCORE', members, member)
  if position then return tonumber(position) end
  return nil, redis.call('EXISTS', members) == 1 and STRANGER or UNKNOWN
end

-- The place of the slowest reader: everything up to it may go.
local function leastRead()
  return tonumber(redis.call('ZRANGE', members, 0, 0, 'WITHSCORES')[2])
end

local function dropRead()
  redis.call('XTRIM', messages, 'MINID', string.format('%.0f-0', leastRead() + 1))
end
