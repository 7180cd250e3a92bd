-- Stores the progress of a task.
-- KEYS: the keys of the queue. ARGV: id, token, progress as JSON, bound of the stream of events.
-- Returns 1, or 0 if the worker no longer holds the task.
if redis.call('HGET', holders, id) ~= token then return 0 end
redis.call('HSET', notes, 'progress:' .. id, progress)
tell('progress', id, progress)
publish(bound)
return 1
