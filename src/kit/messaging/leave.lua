-- Ends a membership, drops what only this member had not read, and the chat with its last member.
-- KEYS  members, messages, last: see chat-state.lua
-- ARGV  member
-- Returns how many members stay; -1 if there is no such chat, -2 if it was no member.

local position, problem = positionOf(member)
if not position then return problem end
redis.call('ZREM', members, member)
local staying = redis.call('ZCARD', members)
if staying == 0 then redis.call('DEL', messages, last) else dropRead() end
return staying
