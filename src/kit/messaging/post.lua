-- Adds a message.
-- KEYS  members, messages, last: see chat-state.lua
-- ARGV  from   a member
--       body   the message as JSON
--       limit  max messages to keep; 0: no limit
-- Returns the message's number; -1 if there is no such chat, -2 if the author is not a member.

local position, problem = positionOf(from)
if not position then return problem end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local number = redis.call('INCR', last)
redis.call('XADD', messages, number .. '-0', 'from', from, 'at', string.format('%.0f', now), 'm', body)
if limit ~= '0' then redis.call('XTRIM', messages, 'MAXLEN', limit) end
return number
