-- Adds a member; an existing member keeps its position.
-- KEYS  members, messages, last: see chat-state.lua
-- ARGV  member
--       history   1: it gets messages that others have not read yet; 0: only new messages
-- Returns 0, or -1 if there is no such chat.

local _, problem = positionOf(member)
if problem == UNKNOWN then return UNKNOWN end
redis.call('ZADD', members, 'NX', history == '1' and minRead() or newest(), member)
return 0
