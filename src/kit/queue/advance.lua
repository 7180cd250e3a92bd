-- A worker's step: settles its finished tasks, and takes the next ones.
-- KEYS: the keys of the queue; receipt: the outcome of this worker's last step, so that a step that is sent twice runs once.
-- ARGV: worker       its name
--       step         number of the step; with the worker's name it is the token of the leases taken in it
--       keepMs       how long to keep the receipt, or 0 to keep none
--       lease        in ms
--       keep         max completed tasks to keep
--       keepDead     max dead tasks to keep
--       bound        approximate max entries in the stream of events
--       renews       '1' to extend the expiry of the events
--       recoveries   how often a task may be taken over from a dead worker before the task is dead
--       kinds        the kinds of task that the worker handles, as JSON strings separated by line feeds
--       count        max tasks to take
--       watched      '1' if the worker was woken, or had a timer for the next due task: it then wakes another worker
--                    if there is more work, and hands over the timer if it has no room left
--       ended        tokens of leases without tasks after this step, separated by blanks
--       settlements  six per task: id, token, outcome (completed, retry, dead, release), result or error
--                    as JSON or '', ms to wait before the next attempt, unique key or ''
-- Returns 1. a string with '1' per settlement, or '0' if the worker no longer holds the task
--         2. ms until the next task or schedule is due, -1 if there is none
--         3. the server's time in ms
--         4. two per taken task: id and record
--         5. three per due schedule: name, specification, due time
--         6. two per taken task: failures and recoveries so far; empty if all are 0
local token = worker .. ':' .. step
local hasNotes = redis.call('EXISTS', notes) == 1

-- 1. Settle finished tasks.

local function keepCompleted(ids, results)
  if keep == '0' then
    redis.call('HDEL', tasks, unpack(ids))
    return
  end
  local length = redis.call('LPUSH', completed, unpack(ids))
  redis.call('HSET', outcomes, unpack(results))
  if length > tonumber(keep) then
    local oldest = redis.call('RPOP', completed, math.min(length - tonumber(keep), 5000))
    redis.call('HDEL', tasks, unpack(oldest))
    redis.call('HDEL', outcomes, unpack(oldest))
  end
end

local COMPLETED = 'completed ' .. now .. ' '

local function complete(id, result, key, ids, results)
  freeKey(key, id)
  if hasNotes then
    releaseDependents(id, result)
    forgetInputs(id, headerOf(id))
    forgetNotes(id)
  end
  ids[#ids + 1] = id
  results[#results + 1] = id
  results[#results + 1] = COMPLETED .. result
  tell('completed', id)
end

local function retryLater(id, problem, delay)
  hasNotes = true
  dropLease(id)
  redis.call('HINCRBY', notes, 'failures:' .. id, 1)
  redis.call('HSET', notes, 'error:' .. id, problem)
  tell('retrying', id, problem)
  if delay > 0 then
    redis.call('ZADD', delayed, now + delay, id)
    if redis.call('ZRANK', delayed, id) == 0 then wakeOne() end
  else
    local header = headerOf(id)
    enqueue(id, header and header.p or 0)
  end
end

local function settle()
  if #settlements == 0 then return '' end
  local wanted, flags = {}, {}
  for i = 1, #settlements, 6 do wanted[#wanted + 1] = settlements[i] end
  local tokens = redis.call('HMGET', holders, unpack(wanted))
  local done, results, released = {}, {}, {}
  for i = 1, #settlements, 6 do
    local at = (i + 5) / 6
    local id, kind, payload = settlements[i], settlements[i + 2], settlements[i + 3]
    local key = settlements[i + 5] ~= '' and settlements[i + 5] or nil
    if tokens[at] ~= settlements[i + 1] then
      flags[at] = '0'
    else
      flags[at] = '1'
      if kind == 'completed' then
        complete(id, payload, key, done, results)
      elseif kind == 'retry' then
        retryLater(id, payload, tonumber(settlements[i + 4]))
      elseif kind == 'dead' then
        redis.call('HINCRBY', notes, 'failures:' .. id, 1)
        bury(id, payload, key)
      else
        dropLease(id)
        released[#released + 1] = id
        tell('released', id)
      end
    end
  end
  if #done > 0 then
    redis.call('HDEL', holders, unpack(done))
    keepCompleted(done, results)
  end
  if #released > 0 then
    putBack(released)
    wakeOne()
  end
  return table.concat(flags)
end

-- Remove the oldest dead tasks when there are too many.
local function trimDead()
  local excess = redis.call('ZCARD', dead) - tonumber(keepDead)
  if excess <= 0 then return end
  for _, id in ipairs(redis.call('ZRANGE', dead, 0, math.min(excess, 100) - 1)) do
    removeTask(id, headerOf(id) or { n = '' })
  end
end

-- 2. Move due tasks.

local function endLeases()
  for lease in string.gmatch(ended, '%S+') do redis.call('ZREM', active, lease) end
end

-- Tasks whose lease was not renewed in time.
local function expiredTasks()
  local leases = redis.call('ZRANGEBYSCORE', active, '-inf', now)
  if #leases == 0 then return leases end
  local isExpired, ids = {}, {}
  for _, lease in ipairs(leases) do
    isExpired[lease] = true
    redis.call('ZREM', active, lease)
  end
  local held = redis.call('HGETALL', holders)
  for i = 1, #held, 2 do
    if isExpired[held[i + 1]] then ids[#ids + 1] = held[i] end
  end
  return ids
end

local function recover()
  local expired = expiredTasks()
  if #expired == 0 then return false end
  hasNotes = true
  local back = {}
  for _, id in ipairs(expired) do
    local times = redis.call('HINCRBY', notes, 'recoveries:' .. id, 1)
    local header = headerOf(id)
    if header and times > (header.r or tonumber(recoveries)) then
      bury(id, '{"name":"KitError","code":"LOST","message":"its lease ended ' .. times ..
        ' times before the worker was done: the workers died, or were cut off"}', header.k)
    else
      dropLease(id)
      back[#back + 1] = id
      tell('recovered', id)
    end
  end
  putBack(back)
  return true
end

local function promoteDue()
  local due = redis.call('ZRANGEBYSCORE', delayed, '-inf', now, 'LIMIT', 0, 1000)
  if #due == 0 then return false end
  redis.call('ZREM', delayed, unpack(due))
  for _, id in ipairs(due) do
    local header = headerOf(id)
    if header then enqueue(id, header.p or 0) end
  end
  return true
end

-- 3. Take tasks (see take.lua).

-- How many tasks the rate limit allows now, and the ms until it allows one more.
local function allowance(limit, per)
  for allowed = 1, tonumber(count) do
    if allowed > limit then return limit, per end
    local start = redis.call('LINDEX', starts, limit - allowed)
    if start and tonumber(start) > now - per then return allowed - 1, tonumber(start) + per - now end
  end
  return tonumber(count), 0
end

local function noteStarts(number, limit, per)
  for _ = 1, number do redis.call('LPUSH', starts, now) end
  redis.call('LTRIM', starts, 0, limit - 1)
  redis.call('PEXPIRE', starts, per)
end

-- A small hash is a listpack, which is searched linearly for each field. A long value converts it to a hash table, which
-- is faster from about twenty tasks on.
local TABLE_FROM = 20
local LONG = string.rep('-', 65)

local function leaseOut()
  if #ids == 0 then return end
  local tokens = #ids < TABLE_FROM and {} or { '-', LONG }
  for _, id in ipairs(ids) do
    tokens[#tokens + 1] = id
    tokens[#tokens + 1] = token
    tell('started', id)
  end
  redis.call('ZADD', active, now + tonumber(lease), token)
  redis.call('HSET', holders, unpack(tokens))
  if #ids >= TABLE_FROM then redis.call('HDEL', holders, '-') end
end

local function troublesOfTaken()
  local troubles = {}
  if not hasNotes then return troubles end
  for at, id in ipairs(ids) do
    local noted = redis.call('HMGET', notes, 'failures:' .. id, 'recoveries:' .. id)
    troubles[at * 2 - 1] = noted[1] or '0'
    troubles[at * 2] = noted[2] or '0'
  end
  return troubles
end

local function sooner(first, key)
  local entry = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')
  local time = tonumber(entry[2])
  return time and (not first or time < first) and time or first
end

local flags, pause
local known = keepMs ~= '0' and redis.call('GET', receipt)
local knownFlags, knownIds = string.match(known or '', '^' .. step .. ' ([01]*) (.*)$')
if knownFlags then
  flags = knownFlags
  for id in string.gmatch(knownIds, '%d+') do
    if redis.call('HGET', holders, id) == token then
      ids[#ids + 1] = id
      taken[#taken + 1] = id
      taken[#taken + 1] = redis.call('HGET', tasks, id) or ''
    end
  end
else
  flags = settle()
  endLeases()
  local moved = recover()
  moved = promoteDue() or moved
  if hasDied then trimDead() end
  local state = redis.call('HMGET', meta, 'paused', 'limit', 'per')
  local limit, per = tonumber(state[2]), tonumber(state[3])
  local number = state[1] and 0 or tonumber(count)
  if number > 0 and limit then number, pause = allowance(limit, per) end
  if number > 0 then take(number) end
  if limit and #ids > 0 then noteStarts(#ids, limit, per) end
  leaseOut()
  -- Tasks held back by the rate limit need no wake-up: this worker has a timer for them.
  local mayGoOn = not state[1] and (pause or 0) == 0
  if watched == '1' and #ids == tonumber(count) then
    wakeIfAny()
  elseif mayGoOn and (moved or watched == '1') then
    wakeIfWaiting()
  end
  publish(bound)
  if keepMs ~= '0' and (flags ~= '' or #ids > 0) then
    redis.call('SET', receipt, step .. ' ' .. flags .. ' ' .. table.concat(ids, ' '), 'PX', keepMs)
  end
end

-- 4. Find the next due time.

local due = {}
for _, name in ipairs(redis.call('ZRANGEBYSCORE', occurrences, '-inf', now, 'LIMIT', 0, 100)) do
  due[#due + 1] = name
  due[#due + 1] = redis.call('HGET', schedules, name) or ''
  due[#due + 1] = redis.call('ZSCORE', occurrences, name)
end

local waitMs = -1
if #ids < tonumber(count) then
  local nextTime = sooner(sooner(sooner(nil, active), delayed), occurrences)
  if pause and pause > 0 and (not nextTime or now + pause < nextTime) then nextTime = now + pause end
  if nextTime then waitMs = math.max(0, nextTime - now) end
  if passed >= MAX_PASSED then waitMs = 0 end
end
return { flags, waitMs, now, taken, due, troublesOfTaken() }
