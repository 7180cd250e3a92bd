-- Puts a message into a mailbox, unless it is full.
-- KEYS  box     stream: an entry for each unread message, with the field m
-- ARGV  body    the message as JSON
--       limit   max unread messages; 0: no limit
-- Returns {id, unread messages, id of the oldest}; {'', unread messages} if it is full.

local unread = redis.call('XLEN', box)
if tonumber(limit) > 0 and unread >= tonumber(limit) then return { '', unread } end
local id = redis.call('XADD', box, '*', 'm', body)
return { id, unread + 1, redis.call('XRANGE', box, '-', '+', 'COUNT', 1)[1][1] }
