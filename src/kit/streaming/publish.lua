-- Adds an event to the stream, once for each message and once for its deletion. Sent twice, it does the same as sent once.
-- KEYS  events   stream: kind, id, user, body (JSON of the message; of a deletion: that of the deleted message, if it is known)
--       known    sorted set: id of a message → when its last event was added (ms); as many as the stream keeps
--       places   hash: id of a message → its entry in the stream; 'deleted' after its deletion
-- ARGV  kind     message or deletion
--       id       of the message
--       user, body
--       keep     max entries
-- Returns the position of the entry; empty if the message was published, or deleted, before.

local place = redis.call('HGET', places, id)
if place == 'deleted' or (place and kind == 'message') then return '' end
if kind == 'deletion' and place then
  local entry = redis.call('XRANGE', events, place, place)[1]
  local fields = entry and entry[2] or {}
  for at = 1, #fields, 2 do
    if fields[at] == 'body' then body = fields[at + 1] end
  end
end
local position = redis.call('XADD', events, 'MAXLEN', '~', keep, '*', 'kind', kind, 'id', id, 'user', user, 'body', body)
redis.call('HSET', places, id, kind == 'message' and position or 'deleted')
redis.call('ZADD', known, string.match(position, '^%d+'), id)
local extra = redis.call('ZCARD', known) - keep
if extra > 0 then
  local forgotten = redis.call('ZPOPMIN', known, extra)
  for at = 1, #forgotten, 2 do redis.call('HDEL', places, forgotten[at]) end
end
return position
