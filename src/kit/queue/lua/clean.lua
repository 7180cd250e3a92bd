-- Removes tasks of a state, a part of them at a time.
-- KEYS: the keys of the queue.
-- ARGV: state (waiting, delayed, blocked, completed, dead), before: remove those that ended, or were added if they have
--       not ended, before this time in ms, or '' for all; skip: how many to skip; limit: max tasks to remove or skip; bound
-- Returns how many were removed, how many were kept, and 1 if there are messages to deliver.
local oldest = before ~= '' and tonumber(before) or now + 1
local max = tonumber(limit)

if state == 'completed' or state == 'dead' then
  local all = 9007199254740991
  local removed
  if state == 'dead' then
    removed = trimDead(all, oldest, max)
  else
    removed = trimCompleted(all, oldest, max, redis.call('LLEN', completed))
  end
  publish(bound)
  return { removed, 0, redis.call('EXISTS', outgoing) }
end

local removed, kept = 0, 0
for _, id in ipairs(idsOf(state, tonumber(skip), max)) do
  if math.floor(tonumber(string.sub(id, 1, ID_LENGTH)) / 1000) < oldest then
    removeTask(id, headerOf(id) or { n = '' })
    removed = removed + 1
  else
    kept = kept + 1
  end
end
publish(bound)
return { removed, kept, redis.call('EXISTS', outgoing) }
