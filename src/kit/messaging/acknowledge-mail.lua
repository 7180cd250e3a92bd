-- Drops read messages.
-- KEYS  box       see send.lua
--       receiver  the lock of the receiver: its field fence is the last token
-- ARGV  beyond    the smallest id to keep
--       token     of the receiver; empty: acknowledged by hand
-- Returns the number of unread messages; -1 if there is a later receiver: the messages are for it.

if token ~= '' and tonumber(redis.call('HGET', receiver, 'fence') or 0) > tonumber(token) then return -1 end

redis.call('XTRIM', box, 'MINID', beyond)
local unread = redis.call('XLEN', box)
if unread == 0 then redis.call('DEL', box) end
return unread
