-- Adds a member; one that is there already keeps its place.
-- KEYS  members, messages, last: see chat-state.lua
-- ARGV  member
--       history   1: it gets what others have not read yet; 0: only what comes from now on
-- Returns 0, or -1 if there is no such chat.

local _, problem = positionOf(member)
if problem == UNKNOWN then return UNKNOWN end
redis.call('ZADD', members, 'NX', history == '1' and leastRead() or newest(), member)
return 0
