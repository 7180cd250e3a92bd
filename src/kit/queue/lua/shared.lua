-- Code that all scripts of a queue share; included before each of them. The keys of a queue are local variables.
--   meta         hash    last (last id issued), paused ('1', or until when in ms), limit and per (rate limit), concurrency, groupLimit and groupLimit:GROUP,
--                        turn (last turn of a group), sent (last number in the outbox), receipts (see receipts.lua)
--   tasks        hash    id -> header as JSON, line feed, the task's data as JSON
--   tasks:names  hash    own id that the program chose -> id
--   tasks:logs   hash    id -> numbers of the first and the last line of its log; id, blank, number -> line
--   waiting      list    ids of priority 0, first in first out
--   prioritized  zset    ids of other priorities; score = -priority, equal ones in the order of their ids
--   aside        zset    waiting tasks that a worker found and does not handle; score 0, so ordered by their members:
--                        kind, NUL, rank of the priority, id
--   waiting:groups, waiting:kinds, waiting:turns:KIND   waiting tasks that have a group (see groups.lua)
--   delayed      zset    ids; score = due time in ms
--   blocked      zset    ids that wait for other tasks; score = number of these tasks
--   blocked:out, blocked:due   messages to other queues (see outbox.lua)
--   active       zset    tokens of leases; score = end of the lease in ms. All tasks taken in one step share one lease
--   active:groups  hash  group -> number of its active tasks
--   holders      hash    id of an active task -> token of its lease
--   notes        hash    fields that only some tasks have: failures:id recoveries:id progress:id error:id,
--                        dependents:id (tasks that wait for it, one per line: ids, or JSON for those of other queues),
--                        input:parent:child (the result of a child), died:parent:child (its error, if it is dead and the parent
--                        continues), remote:parent:child (a child in another queue is not completed yet)
--   unique       hash    unique key -> id
--   unique:ids, unique:until   hash and zset of keys that are throttled: id, end of the time in ms
--   completed    list    ids, newest first
--   dead         zset    ids; score = time of death in ms
--   outcomes     hash    id -> "completed" or "dead", time in ms, result or error as JSON, separated by blanks
--   schedules    hash    name -> specification as JSON
--   occurrences  zset    names; score = next due time in ms
--   wake         list    holds one element when there may be work that no worker has seen
--   wake:KIND    list    the same for tasks of this kind that were set aside or have a group; a worker waits for those of
--                        its kinds
--   events       stream  one entry per script call, one line per event
--   starts       list    times of the last starts, newest first, while there is a rate limit
--   meta:metrics hash    minute since 1970 -> completed, retried, dead tasks and ms of handlers in it, first starts and ms before
--                        them, separated by blanks

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

-- Idle workers must learn of a task that is due before all others; else one of them wakes earlier anyway.
local function delayUntil(due, id)
  redis.call('ZADD', delayed, due, id)
  if redis.call('ZRANK', delayed, id) == 0 then wakeOne() end
end

-- A wake-up that no worker takes expires after a day: a worker checks when it starts anyway.
local WAKE_KIND_MS = 86400000

local function wakeKind(kind)
  local key = wake .. ':' .. kind
  if redis.call('EXISTS', key) == 1 then return end
  redis.call('RPUSH', key, '1')
  redis.call('PEXPIRE', key, WAKE_KIND_MS)
end

-- The kinds that have tasks set aside. Jumps from kind to kind.
local function kindsAside()
  local kinds, from = {}, '-'
  while true do
    local member = redis.call('ZRANGEBYLEX', aside, from, '+', 'LIMIT', 0, 1)[1]
    if not member then return kinds end
    local kind = string.match(member, '^(.-)%z')
    kinds[#kinds + 1] = kind
    from = '(' .. kind .. '\1'
  end
end

-- Wakes a worker for each kind that has tasks set aside, or groups whose turn may come.
local function wakeKinds()
  if redis.call('EXISTS', aside, waiting .. ':groups') == 0 then return end
  for _, kind in ipairs(kindsAside()) do wakeKind(kind) end
  for _, kind in ipairs(redis.call('SMEMBERS', waiting .. ':kinds')) do
    if redis.call('EXISTS', waiting .. ':turns:' .. kind) == 1 then wakeKind(kind) end
  end
end

local function wakeIfWaiting()
  if redis.call('EXISTS', waiting, prioritized) > 0 then wakeOne() end
  wakeKinds()
end

-- Also for tasks due later: one worker must have a timer for them.
local function wakeIfAny()
  if redis.call('EXISTS', waiting, prioritized, delayed, occurrences, blocked .. ':due') > 0 then wakeOne() end
  wakeKinds()
end

-- Ids are the server's time in microseconds, or one more than the last: in the order of adding, all of one length, and
-- never issued twice, even if a failover lost the last ones. The id of a task with an own id is followed by a colon and
-- the own id; programs only see the latter.
local ID_LENGTH = 16
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

-- The id of a task that a program names; false if there is no task of this own id.
local function idOf(given)
  if #given == ID_LENGTH and not string.find(given, '%D') then return given end
  return redis.call('HGET', tasks .. ':names', given)
end

-- The id as programs see it.
local function publicId(id)
  return #id > ID_LENGTH and string.sub(id, ID_LENGTH + 2) or id
end

-- The header of a record, which begins with n: n kind, p priority, h 1 if last in first out, g group, r recoveries, k unique
-- key, w ids of tasks to wait for, x children in other queues, f what becomes of tasks that wait for it if it is dead.
local function headerIn(record)
  return cjson.decode(string.sub(record, 1, string.find(record, '\n', 1, true) - 1))
end

-- Nil if there is no such task.
local function headerOf(id)
  local record = redis.call('HGET', tasks, id)
  return record and headerIn(record)
end

-- Ranks are fixed-width numbers, the highest priority first.
local MAX_PRIORITY = 1000000

local function rankOf(priority)
  return string.format('%07d', MAX_PRIORITY - priority)
end

-- The member of a task in `aside`.
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

local function freeKey(key, id)
  if key and redis.call('HGET', unique, key) == id then redis.call('HDEL', unique, key) end
end

local function forgetNotes(id)
  redis.call('HDEL', notes, 'failures:' .. id, 'recoveries:' .. id, 'progress:' .. id, 'error:' .. id)
end
