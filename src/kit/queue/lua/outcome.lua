-- Returns the outcomes of tasks.
-- KEYS: the keys of the queue. ARGV: ids.
-- Returns per task "completed" or "dead" with time and result or error; "" if it is not over; null if it is unknown.
for at, given in ipairs(ids) do ids[at] = idOf(given) or '' end
local found = redis.call('HMGET', outcomes, unpack(ids))
for at, id in ipairs(ids) do
  if not found[at] and redis.call('HEXISTS', tasks, id) == 1 then found[at] = '' end
end
return found
