-- Code that all scripts of a chat share; included before each of them. Uses the locals `members`, `messages` and `last`.
--   members   zset: member -> number of the last message it has read
--   messages  stream: an entry n-0 for message n, with the fields from, at (ms) and m (JSON); only messages that some member has not read
--   last      string: number of the newest message
-- A chat exists as long as it has members.

local UNKNOWN, STRANGER = -1, -2

local function newest()
  return tonumber(redis.call('GET', last) or 0)
end

-- The member's position, or nil and the error number.
local function positionOf(member)
  local position = redis.call('ZSCORE', members, member)
  if position then return tonumber(position) end
  return nil, redis.call('EXISTS', members) == 1 and STRANGER or UNKNOWN
end

-- The position of the slowest reader: all messages up to it can be dropped.
local function minRead()
  return tonumber(redis.call('ZRANGE', members, 0, 0, 'WITHSCORES')[2])
end

local function dropRead()
  redis.call('XTRIM', messages, 'MINID', string.format('%.0f-0', minRead() + 1))
end
