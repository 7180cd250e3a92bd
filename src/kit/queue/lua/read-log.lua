-- Returns the log of a task.
-- KEYS: the keys of the queue. ARGV: given: its id.
local logs, id = tasks .. ':logs', idOf(given)
local bounds = id and redis.call('HGET', logs, id)
local lines = {}
if not bounds then return lines end
local first, last = string.match(bounds, '^(%d+) (%d+)$')
for number = tonumber(first), tonumber(last) do lines[#lines + 1] = redis.call('HGET', logs, id .. ' ' .. number) or '' end
return lines
