-- Moves a member's place forward, and drops what all have read.
-- KEYS  members, messages, last: see chat-state.lua
-- ARGV  member
--       number   of the last message it has read
-- Returns how many messages it has not read; -1 if there is no such chat, -2 if it is no member.

local position, problem = positionOf(member)
if not position then return problem end
local read = math.min(tonumber(number), newest())
if read > position then
  redis.call('ZADD', members, read, member)
  dropRead()
  position = read
end
return newest() - position
