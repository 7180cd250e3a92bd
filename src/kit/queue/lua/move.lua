-- Removes, promotes or retries one task.
-- KEYS: the keys of the queue.
-- ARGV: verb: remove (whatever its state; its signal aborts), promote (a delayed one: it is due now), retry (a dead
--       one: from its first attempt); given: its id; bound of the stream of events.
-- Returns 1, or 2 if there are messages to deliver; 0 if there is no such task or it is not in that state; -1 if its unique key
-- belongs to another task.
local id = idOf(given)
local header = id and headerOf(id)
if not header then return 0 end

if verb == 'promote' then
  if redis.call('ZREM', delayed, id) == 0 then return 0 end
  enqueue(id, header)
  tell('promoted', id)
  wakeOne()
elseif verb == 'retry' then
  if not redis.call('ZSCORE', dead, id) then return 0 end
  if header.k and redis.call('HSETNX', unique, header.k, id) == 0 then return -1 end
  redis.call('ZREM', dead, id)
  redis.call('HDEL', outcomes, id)
  forgetNotes(id)
  enqueue(id, header)
  tell('replayed', id)
  wakeOne()
else
  local wasActive = redis.call('HEXISTS', holders, id) == 1
  removeTask(id, header)
  -- It may have kept others from starting.
  if wasActive then wakeIfWaiting() end
end
publish(bound)
return redis.call('EXISTS', outgoing) + 1
