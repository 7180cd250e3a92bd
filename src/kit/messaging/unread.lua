-- Reads what a member has not read, oldest first, without changing anything.
-- KEYS  members, messages, last: see chat-state.lua
-- ARGV  member
--       after   a number: only what comes behind it
--       count   how many at most
-- Returns the entries {id, {from, …, at, …, m, …}}; -1 if there is no such chat, -2 if it is no member.

local position, problem = positionOf(member)
if not position then return problem end
local start = math.max(position, tonumber(after)) + 1
return redis.call('XRANGE', messages, string.format('%.0f-0', start), '+', 'COUNT', count)
