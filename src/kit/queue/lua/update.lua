-- Replaces the data of a task that is not completed.
-- KEYS: the keys of the queue.
-- ARGV: given: its id; token of the worker that runs it, or ''; kind that it must have, or ''; data as JSON; bound.
-- Returns 1; 0 if there is no such task, it is completed, or the worker no longer holds it; its kind, if it is another one.
local id = idOf(given)
if token ~= '' and (not id or redis.call('HGET', holders, id) ~= token) then return 0 end
local record = id and redis.call('HGET', tasks, id)
if not record then return 0 end
local header = headerIn(record)
if kind ~= '' and header.n ~= kind then return header.n end
if string.sub(redis.call('HGET', outcomes, id) or '', 1, 9) == 'completed' then return 0 end
redis.call('HSET', tasks, id, string.sub(record, 1, string.find(record, '\n', 1, true)) .. data)
tell('updated', id)
publish(bound)
return 1
