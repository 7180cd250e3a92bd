-- Returns tasks with their state.
-- KEYS: the keys of the queue.
-- ARGV: state (or 'id'), offset, limit (or the id), known: ids of this state that were returned before, the last one first:
--       the tasks after the first of them that is found are returned, in place of those at the offset
-- Returns the offset after these tasks, or -1 if none of the known ones is found; and nine values per task: id, record, state, when (due, end of lease or of the task, in
-- ms, or ''), failures, recoveries, progress, last error, result; '' if missing.
local function stateOf(id)
  local outcome = redis.call('HGET', outcomes, id)
  if outcome then
    local word, time, detail = string.match(outcome, '^(%a+) (%d+) (.*)$')
    return word, time, detail
  end
  local token = redis.call('HGET', holders, id)
  if token then return 'active', redis.call('ZSCORE', active, token) or '', '' end
  local time = redis.call('ZSCORE', delayed, id)
  if time then return 'delayed', time, '' end
  if redis.call('ZSCORE', blocked, id) then return 'blocked', '', '' end
  return 'waiting', '', ''
end

local first = tonumber(offset)
for index, id in ipairs(known) do
  local at = positionOf(state, id, first - 1)
  if at then
    first = at + 1
    break
  elseif index == #known then
    return { -1 }
  end
end

local ids = state == 'id' and { idOf(limit) or '' } or idsOf(state, first, tonumber(limit))
local shown = { first + #ids }
if #ids == 0 then return shown end
local records = redis.call('HMGET', tasks, unpack(ids))
-- Most tasks have no notes, and most tasks that are listed wait: neither is asked for each of them then.
local hasNotes = redis.call('EXISTS', notes) == 1
local isWaiting = state == 'waiting' or state == 'setAside'
for index, id in ipairs(ids) do
  local record = records[index]
  if record then
    local word, time, detail = 'waiting', '', ''
    if not isWaiting then word, time, detail = stateOf(id) end
    local noted = hasNotes and
      redis.call('HMGET', notes, 'failures:' .. id, 'recoveries:' .. id, 'progress:' .. id, 'error:' .. id) or {}
    for _, value in ipairs({ id, record, word, time, noted[1] or '0', noted[2] or '0', noted[3] or '',
      word == 'dead' and detail or noted[4] or '', word == 'completed' and detail or '' }) do
      shown[#shown + 1] = value
    end
  end
end
return shown
