-- Who is in the chat, and how much each has not read.
-- KEYS  members, messages, last: see chat-state.lua
-- Returns {newest number, member, its place, member, …}; nothing behind the number if there is no such chat.

local found = redis.call('ZRANGE', members, 0, -1, 'WITHSCORES')
table.insert(found, 1, newest())
return found
