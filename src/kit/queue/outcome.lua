-- What became of tasks.
-- KEYS: those of the queue. ARGV: ids.
-- Returns for each "completed" or "dead" with time and result or error; "" if it is not over; null if it is not known.
local found = redis.call('HMGET', outcomes, unpack(ids))
for at, id in ipairs(ids) do
  if not found[at] and redis.call('HEXISTS', tasks, id) == 1 then found[at] = '' end
end
return found
