-- Drops read messages.
-- KEYS  box     see send.lua
-- ARGV  beyond  the smallest id to keep
-- Returns the number of unread messages.

redis.call('XTRIM', box, 'MINID', beyond)
local unread = redis.call('XLEN', box)
if unread == 0 then redis.call('DEL', box) end
return unread
