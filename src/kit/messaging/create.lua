-- Creates a chat.
-- KEYS  members, messages, last: see chat-state.lua
-- ARGV  names   the first members
-- Returns 1, or 0 if there is a chat of that name.

if redis.call('EXISTS', members) == 1 then return 0 end
for _, name in ipairs(names) do redis.call('ZADD', members, 0, name) end
return 1
