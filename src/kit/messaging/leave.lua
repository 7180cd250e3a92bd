-- Removes a member, drops messages that only this member had not read, and deletes the chat with its last member.
-- KEYS  members, messages, last: see chat-state.lua
-- ARGV  member
-- Returns the number of members left; -1 if there is no such chat, -2 if it was not a member.

local position, problem = positionOf(member)
if not position then return problem end
redis.call('ZREM', members, member)
local staying = redis.call('ZCARD', members)
if staying == 0 then redis.call('DEL', messages, last) else dropRead() end
return staying
