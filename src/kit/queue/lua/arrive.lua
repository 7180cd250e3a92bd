-- A child in another queue is completed, removed or dead. Arriving twice is the same as arriving once.
-- KEYS: the keys of the parent's queue.
-- ARGV: parent    its id
--       child     own id of the child
--       result    of the child as JSON, or ''
--       problem   if the child is dead: its error as JSON
--       fate      what then becomes of the parent (continue, fail); '' if the child is not dead
--       keepDead  max dead tasks to keep
--       bound     of the stream of events
-- Returns 1, or 0 if the parent does not wait for it (any more).
if redis.call('HDEL', notes, 'remote:' .. parent .. ':' .. child) == 0 then return 0 end
local header = headerOf(parent)
if not header then return 0 end
if fate ~= '' then
  local task = childDied(parent, child, child, problem, fate)
  if task then bury(task.id, task.problem, task.header) end
  trimAfterDeath(keepDead)
else
  if result ~= '' then redis.call('HSET', notes, 'input:' .. parent .. ':' .. child, result) end
  unblock(parent, header)
end
publish(bound)
return 1
