-- The end of tasks. Included after outbox.lua.
local logs = tasks .. ':logs'
-- A script that knows better sets it to false, to save a question.
local mayHaveLogs = true

local function forgetLog(id)
  local bounds = redis.call('HGET', logs, id)
  if not bounds then return end
  local first, last = string.match(bounds, '^(%d+) (%d+)$')
  redis.call('HDEL', logs, id)
  for line = tonumber(first), tonumber(last) do redis.call('HDEL', logs, id .. ' ' .. line) end
end

-- Own ids and logs stay as long as the record of the task.
local function forgetRecords(ids)
  redis.call('HDEL', tasks, unpack(ids))
  local hasLogs = mayHaveLogs and redis.call('EXISTS', logs) == 1
  for i = 1, #ids do
    local id = ids[i]
    if #id > ID_LENGTH then redis.call('HDEL', tasks .. ':names', string.sub(id, ID_LENGTH + 2)) end
    if hasLogs then forgetLog(id) end
  end
end

-- Removes a task from the structure of its state.
local function takeOut(id, header)
  if redis.call('HDEL', outcomes, id) == 1 then
    if redis.call('ZREM', dead, id) == 0 then redis.call('LREM', completed, -1, id) end
  elseif dropLease(id, header.g) or redis.call('ZREM', delayed, id) == 1 or redis.call('ZREM', blocked, id) == 1 then
    return
  elseif header.g then
    leaveLane(id, header)
  elseif redis.call('ZREM', prioritized, id) == 0 and redis.call('ZREM', aside, placeAside(id, header)) == 0 then
    redis.call('LREM', waiting, 1, id)
  end
end

-- Removes a task, whatever its state. Tasks that wait for it are unblocked.
local function removeTask(id, header)
  takeOut(id, header)
  freeKey(header.k, id)
  releaseDependents(id)
  forgetInputs(id, header)
  forgetNotes(id)
  forgetRecords({ id })
  tell('removed', id)
end

local hasDied = false

local function bury(id, problem, header)
  hasDied = true
  dropLease(id, header.g)
  freeKey(header.k, id)
  redis.call('ZADD', dead, now, id)
  redis.call('HSET', outcomes, id, 'dead ' .. now .. ' ' .. problem)
  tell('dead', id, problem)
end

-- Removes completed tasks, oldest first: those above `keep`, and those completed before `oldest` (in ms). At most `max`.
-- Returns how many. `length`: of the list.
local function trimCompleted(keep, oldest, max, length)
  local excess = math.min(max, math.max(0, length - keep))
  if oldest and excess < max then
    local ids = redis.call('LRANGE', completed, -max, -1)
    local ends = #ids > 0 and redis.call('HMGET', outcomes, unpack(ids)) or {}
    local old = 0
    for i = #ids, 1, -1 do
      if ends[i] and tonumber(string.match(ends[i], '^%a+ (%d+)')) >= oldest then break end
      old = old + 1
    end
    excess = math.max(excess, old)
  end
  if excess == 0 then return 0 end
  local removed = redis.call('RPOP', completed, excess)
  redis.call('HDEL', outcomes, unpack(removed))
  forgetRecords(removed)
  return #removed
end

-- The same for dead tasks.
local function trimDead(keep, oldest, max)
  local excess = redis.call('ZCARD', dead) - keep
  if oldest then excess = math.max(excess, redis.call('ZCOUNT', dead, '-inf', '(' .. oldest)) end
  excess = math.min(excess, max)
  if excess <= 0 then return 0 end
  for _, id in ipairs(redis.call('ZRANGE', dead, 0, excess - 1)) do
    removeTask(id, headerOf(id) or { n = '' })
  end
  return excess
end
