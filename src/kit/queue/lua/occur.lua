-- Adds the task of a schedule that is due and plans the next occurrence. Of several workers, only the first does so.
-- KEYS: the keys of the queue.
-- ARGV: name; due: when it was due; following: when it is due next, or '' if never;
--       record, key: the task's record and its unique key or ''; bound of the stream of events
-- Returns the task's id; '' if another worker was first, or the unique key is taken.
local planned = redis.call('ZSCORE', occurrences, name)
if not planned or tonumber(planned) ~= tonumber(due) then return '' end
if following == '' then
  redis.call('ZREM', occurrences, name)
  redis.call('HDEL', schedules, name)
else
  redis.call('ZADD', occurrences, following, name)
end
if key ~= '' and redis.call('HEXISTS', unique, key) == 1 then return '' end
local id = newId()
redis.call('HSET', tasks, id, record)
if key ~= '' then redis.call('HSET', unique, key, id) end
tell('added', id)
enqueue(id, headerIn(record))
rememberLastId()
wakeOne()
publish(bound)
return id
