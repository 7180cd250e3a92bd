-- Makes or changes a schedule. One that is the same already goes on as it is.
-- KEYS: those of the queue. ARGV: name, specification as JSON, first: when it is due first, in Unix ms.
-- Returns when it is due next, in ms.
local due = redis.call('ZSCORE', occurrences, name)
if due and redis.call('HGET', schedules, name) == specification then return due end
redis.call('HSET', schedules, name, specification)
redis.call('ZADD', occurrences, first, name)
if redis.call('ZRANK', occurrences, name) == 0 then wakeOne() end
return first
