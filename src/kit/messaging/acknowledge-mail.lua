-- Drops the messages that have been read.
-- KEYS  box     see send.lua
-- ARGV  beyond  the least id that stays
-- Returns how many are unread.

redis.call('XTRIM', box, 'MINID', beyond)
local unread = redis.call('XLEN', box)
if unread == 0 then redis.call('DEL', box) end
return unread
