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

local function markDead(id, problem, header)
  hasDied = true
  dropLease(id, header.g)
  freeKey(header.k, id)
  redis.call('ZADD', dead, now, id)
  redis.call('HSET', outcomes, id, 'dead ' .. now .. ' ' .. problem)
  tell('dead', id, problem)
end

-- Passed on as it is: it names the first task that died. Texts in texts would grow with each level.
local function problemOfParent(child, problem)
  local cause = cjson.decode(problem)
  if cause.code == 'CHILD_DEAD' then return problem end
  local message = 'task ' .. child .. ', for which it waited, is dead: ' .. tostring(cause.message)
  return cjson.encode({ name = 'KitError', code = 'CHILD_DEAD', message = message })
end

-- A task that `parent` waits for is dead. `fate`: what becomes of the parent, continue or fail; `shownId`: the child's id as programs
-- see it. Returns the parent if it is dead, too.
local function childDied(parent, child, shownId, problem, fate)
  local header = headerOf(parent)
  if not header or not redis.call('ZSCORE', blocked, parent) then return nil end
  if fate == 'continue' then
    redis.call('HSET', notes, 'died:' .. parent .. ':' .. child, problem)
    unblock(parent, header)
    return nil
  end
  redis.call('ZREM', blocked, parent)
  return { id = parent, problem = problemOfParent(shownId, problem), header = header }
end

-- The task is dead, and so are those that wait for it, if it was added so (see childDied). Without that, they stay blocked.
local function bury(id, problem, header)
  local dying = { { id = id, problem = problem, header = header } }
  local at = 1
  while dying[at] do
    local task = dying[at]
    at = at + 1
    markDead(task.id, task.problem, task.header)
    local dependents = redis.call('HGET', notes, 'dependents:' .. task.id)
    -- The headers of settled tasks are not whole.
    local fate = dependents and (headerOf(task.id) or {}).f
    if fate then
      redis.call('HDEL', notes, 'dependents:' .. task.id)
      for dependent in string.gmatch(dependents, '[^\n]+') do
        if string.sub(dependent, 1, 1) == '{' then
          local parent = cjson.decode(dependent)
          send({ to = parent.to, parent = parent.id, child = parent.child, problem = task.problem, fate = fate })
        else
          dying[#dying + 1] = childDied(dependent, task.id, publicId(task.id), task.problem, fate)
        end
      end
    end
  end
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

-- For scripts that seldom bury a task.
local function trimAfterDeath(keep)
  if hasDied then trimDead(tonumber(keep), nil, 100) end
end
