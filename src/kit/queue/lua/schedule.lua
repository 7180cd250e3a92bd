-- Creates or changes a schedule. An identical schedule is left as it is.
-- KEYS: the keys of the queue. ARGV: name, specification as JSON, first: first due time, in Unix ms.
-- Returns the next due time, in ms.
local due = redis.call('ZSCORE', occurrences, name)
if due and redis.call('HGET', schedules, name) == specification then return due end
redis.call('HSET', schedules, name, specification)
redis.call('ZADD', occurrences, first, name)
if redis.call('ZRANK', occurrences, name) == 0 then wakeOne() end
return first
