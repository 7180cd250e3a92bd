-- Returns a member's unread messages, oldest first, without changing anything.
-- KEYS  members, messages, last: see chat-state.lua
-- ARGV  member
--       after   only messages after this number
--       count   max messages
-- Returns the entries {id, {from, …, at, …, m, …}}; -1 if there is no such chat, -2 if it is not a member.

local position, problem = positionOf(member)
if not position then return problem end
local start = math.max(position, tonumber(after)) + 1
return redis.call('XRANGE', messages, string.format('%.0f-0', start), '+', 'COUNT', count)
