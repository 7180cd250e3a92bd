-- Returns the members of a chat and their positions.
-- KEYS  members, messages, last: see chat-state.lua
-- Returns {newest number, member, its position, member, …}; only the number if there is no such chat.

local found = redis.call('ZRANGE', members, 0, -1, 'WITHSCORES')
table.insert(found, 1, newest())
return found
