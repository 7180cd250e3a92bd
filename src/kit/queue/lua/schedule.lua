-- Creates or changes a schedule. An identical schedule is left as it is.
-- KEYS: the keys of the queue. ARGV: name; expected: only this specification is changed, or '' for any and for a new one; specification
-- as JSON; first: first due time, in Unix ms.
-- Returns the next due time, in ms; -1 if the schedule is not the expected one.
local due = redis.call('ZSCORE', occurrences, name)
local current = redis.call('HGET', schedules, name)
if due and current == specification then return due end
if expected ~= '' and current ~= expected then return -1 end
redis.call('HSET', schedules, name, specification)
redis.call('ZADD', occurrences, first, name)
if redis.call('ZRANK', occurrences, name) == 0 then wakeOne() end
return first
