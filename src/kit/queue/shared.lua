-- Code that all scripts of a queue share; included before each of them. The keys of a queue are local variables.
--   meta         hash    last (last id issued), paused, limit and per (rate limit), receipts (see receipts.lua)
--   tasks        hash    id -> header as JSON, line feed, the task's data as JSON
--   waiting      list    ids of priority 0, first in first out
--   prioritized  zset    ids of other priorities; score = -priority, equal ones in the order of their ids
--   aside        zset    waiting tasks that a worker found and does not handle; score 0, so ordered by their members:
--                        kind, NUL, rank of the priority, id
--   delayed      zset    ids; score = due time in ms
--   blocked      zset    ids that wait for other tasks; score = number of these tasks
--   active       zset    tokens of leases; score = end of the lease in ms. All tasks taken in one step share one lease
--   holders      hash    id of an active task -> token of its lease
--   notes        hash    fields that only some tasks have: failures:id recoveries:id progress:id error:id,
--                        dependents:id (ids that wait for it), input:parent:child (the result of a child)
--   unique       hash    unique key -> id
--   completed    list    ids, newest first
--   dead         zset    ids; score = time of death in ms
--   outcomes     hash    id -> "completed" or "dead", time in ms, result or error as JSON, separated by blanks
--   schedules    hash    name -> specification as JSON
--   occurrences  zset    names; score = next due time in ms
--   wake         list    holds one element when there may be work that no worker has seen
--   wake:KIND    list    the same for tasks of this kind that were set aside; a worker waits for those of its kinds
--   events       stream  one entry per script call, one line per event
--   starts       list    times of the last starts, newest first, while there is a rate limit

local clock = redis.call('TIME')
local now = tonumber(clock[1]) * 1000 + math.floor(tonumber(clock[2]) / 1000)

local function micros()
  return tonumber(clock[1]) * 1000000 + tonumber(clock[2])
end

local told = {}

local function tell(event, id, detail)
  if detail then id = id .. ' ' .. detail end
  told[#told + 1] = event .. ' ' .. id
end

-- Events of an unused queue expire after a day. Scripts that are called often have an argument `renews` and extend the
-- expiry only when it is '1': their callers set it once a minute.
local EVENTS_MS = 86400000

local function publish(bound)
  if #told == 0 or bound == '0' then return end
  redis.call('XADD', events, 'MAXLEN', '~', bound, '*', 'told', table.concat(told, '\n'))
  if renews ~= '0' then redis.call('PEXPIRE', events, EVENTS_MS) end
end

local function wakeOne()
  if redis.call('EXISTS', wake) == 0 then redis.call('RPUSH', wake, '1') end
end

-- A wake-up that no worker takes expires after a day: a worker checks when it starts anyway.
local WAKE_KIND_MS = 86400000

local function wakeKind(kind)
  local key = wake .. ':' .. kind
  if redis.call('EXISTS', key) == 1 then return end
  redis.call('RPUSH', key, '1')
  redis.call('PEXPIRE', key, WAKE_KIND_MS)
end

-- Wakes a worker for each kind that has tasks set aside. Jumps from kind to kind.
local function wakeKindsAside()
  local from = '-'
  while true do
    local member = redis.call('ZRANGEBYLEX', aside, from, '+', 'LIMIT', 0, 1)[1]
    if not member then return end
    local kind = string.sub(member, 1, -25)
    wakeKind(kind)
    from = '(' .. kind .. '\1'
  end
end

local function wakeIfWaiting()
  if redis.call('EXISTS', waiting, prioritized) > 0 then wakeOne() end
  wakeKindsAside()
end

-- Also for tasks due later: one worker must have a timer for them.
local function wakeIfAny()
  if redis.call('EXISTS', waiting, prioritized, delayed, occurrences) > 0 then wakeOne() end
  wakeKindsAside()
end

-- Ids are the server's time in microseconds, or one more than the last: in the order of adding, all of one length, and
-- never issued twice, even if a failover lost the last ones.
local lastId

local function newId()
  if not lastId then
    lastId = tonumber(redis.call('HGET', meta, 'last') or 0)
    if micros() > lastId then lastId = micros() - 1 end
  end
  lastId = lastId + 1
  return string.format('%016d', lastId)
end

local function rememberLastId()
  if lastId then redis.call('HSET', meta, 'last', string.format('%016d', lastId)) end
end

-- The header of a record, which begins with n: n kind, p priority, r recoveries, k unique key, w ids of tasks to wait for.
local function headerIn(record)
  return cjson.decode(string.sub(record, 1, string.find(record, '\n', 1, true) - 1))
end

-- Nil if there is no such task.
local function headerOf(id)
  local record = redis.call('HGET', tasks, id)
  return record and headerIn(record)
end

local function enqueue(id, priority)
  if priority == 0 then
    redis.call('RPUSH', waiting, id)
  else
    redis.call('ZADD', prioritized, -priority, id)
  end
end

-- The member of a task in `aside`. Ranks are fixed-width numbers, the highest priority first.
local MAX_PRIORITY = 1000000

local function rankOf(priority)
  return string.format('%07d', MAX_PRIORITY - priority)
end

local function placeAside(id, header)
  return header.n .. '\0' .. rankOf(header.p or 0) .. id
end

local function setAside(id, header)
  redis.call('ZADD', aside, 0, placeAside(id, header))
  wakeKind(header.n)
end

local function asideOfKind(kind, number)
  return redis.call('ZRANGEBYLEX', aside, '[' .. kind .. '\0', '(' .. kind .. '\1', 'LIMIT', 0, number)
end

-- Puts tasks back where they were taken from, before all later ones.
local function putBack(ids)
  table.sort(ids)
  for i = #ids, 1, -1 do
    local header = headerOf(ids[i])
    if header then
      local priority = header.p or 0
      if #asideOfKind(header.n, 1) > 0 then
        setAside(ids[i], header)
      elseif priority == 0 then
        redis.call('LPUSH', waiting, ids[i])
      else
        redis.call('ZADD', prioritized, -priority, ids[i])
      end
    end
  end
end

-- The lease itself is removed when its worker reports that it has no tasks left, or when it ends.
local function dropLease(id)
  redis.call('HDEL', holders, id)
end

local function freeKey(key, id)
  if key and redis.call('HGET', unique, key) == id then redis.call('HDEL', unique, key) end
end

local function forgetNotes(id)
  redis.call('HDEL', notes, 'failures:' .. id, 'recoveries:' .. id, 'progress:' .. id, 'error:' .. id)
end

-- Unblocks tasks that wait for this one. Its result is kept until they are done.
local function releaseDependents(id, result)
  local dependents = redis.call('HGET', notes, 'dependents:' .. id)
  if not dependents then return end
  redis.call('HDEL', notes, 'dependents:' .. id)
  for dependent in string.gmatch(dependents, '%d+') do
    -- It may have been removed.
    local header = headerOf(dependent)
    if header then
      if result and result ~= '' then
        redis.call('HSET', notes, 'input:' .. dependent .. ':' .. id, result)
      end
      if tonumber(redis.call('ZINCRBY', blocked, -1, dependent)) <= 0 then
        redis.call('ZREM', blocked, dependent)
        enqueue(dependent, header.p or 0)
        tell('released', dependent)
        wakeOne()
      end
    end
  end
end

local function forgetInputs(id, header)
  for _, child in ipairs(header and header.w or {}) do
    redis.call('HDEL', notes, 'input:' .. id .. ':' .. child)
  end
end

-- Removes a task from all structures. Tasks that wait for it are unblocked.
local function removeTask(id, header)
  redis.call('LREM', waiting, 0, id)
  redis.call('ZREM', prioritized, id)
  redis.call('ZREM', aside, placeAside(id, header))
  redis.call('ZREM', delayed, id)
  redis.call('ZREM', dead, id)
  redis.call('LREM', completed, 0, id)
  redis.call('HDEL', outcomes, id)
  redis.call('HDEL', tasks, id)
  redis.call('ZREM', blocked, id)
  dropLease(id)
  freeKey(header.k, id)
  releaseDependents(id)
  forgetInputs(id, header)
  forgetNotes(id)
  tell('removed', id)
end

local hasDied = false

local function bury(id, problem, key)
  hasDied = true
  dropLease(id)
  freeKey(key, id)
  redis.call('ZADD', dead, now, id)
  redis.call('HSET', outcomes, id, 'dead ' .. now .. ' ' .. problem)
  tell('dead', id, problem)
end
