-- Moves a member's position forward, and drops messages that all have read.
-- KEYS  members, messages, last: see chat-state.lua
-- ARGV  member
--       number   of the last message it has read
-- Returns its number of unread messages; -1 if there is no such chat, -2 if it is not a member.

local position, problem = positionOf(member)
if not position then return problem end
local read = math.min(tonumber(number), newest())
if read > position then
  redis.call('ZADD', members, read, member)
  dropRead()
  position = read
end
return newest() - position
