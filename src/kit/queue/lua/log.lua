-- Adds a line to the log of a task that a worker runs.
-- KEYS: the keys of the queue. ARGV: id, token, line, keepLog: max lines of a task.
-- Returns 1, or 0 if the worker no longer holds the task.
if redis.call('HGET', holders, id) ~= token then return 0 end
local logs = tasks .. ':logs'
local first, last = string.match(redis.call('HGET', logs, id) or '1 0', '^(%d+) (%d+)$')
first, last = tonumber(first), last + 1
redis.call('HSET', logs, id .. ' ' .. last, line)
while last - first >= tonumber(keepLog) do
  redis.call('HDEL', logs, id .. ' ' .. first)
  first = first + 1
end
redis.call('HSET', logs, id, string.format('%d %d', first, last))
return 1
