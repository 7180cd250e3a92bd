-- A worker's step: settles its finished tasks, and takes the next ones.
-- KEYS: the keys of the queue; receipt: the outcome of this worker's last step, so that a step that is sent twice runs once.
-- ARGV: worker       its name
--       step         number of the step; with the worker's name it is the token of the leases taken in it
--       keepMs       how long to keep the receipt, or 0 to keep none
--       lease        in ms
--       keep         max completed tasks to keep
--       keepAge      and for how many ms, or '' for any time
--       keepDead     max dead tasks to keep
--       keepDeadAge  and for how many ms, or ''
--       keepMetrics  for how many minutes to keep metrics, or 0
--       bound        approximate max entries in the stream of events
--       renews       '1' to extend the expiry of the events
--       recoveries   how often a task may be taken over from a dead worker before the task is dead
--       kinds        the kinds of task that the worker handles, as JSON strings separated by line feeds
--       count        max tasks to take
--       watched      '1' if the worker was woken, or had a timer for the next due task: it then wakes another worker
--                    if there is more work, and hands over the timer if it has no room left
--       ended        tokens of leases without tasks after this step, separated by blanks
--       spent        ms that the handlers of the settled tasks took, for metrics
--       settlements  six per task: id, token, outcome (completed, retry, dead, release, crashed), result or error
--                    as JSON or '', ms to wait before the next attempt (or the same, if it is released), '' or a JSON object: k unique key, g group
-- Returns 1. a string with '1' per settlement, or '0' if the worker no longer holds the task
--         2. ms until the next task or schedule is due, -1 if there is none
--         3. the server's time in ms
--         4. two per taken task: id and record
--         5. three per due schedule: name, specification, due time
--         6. two per taken task: failures and recoveries so far; empty if all are 0
--         7. 1 if there are messages to deliver, 2 if tasks taken ahead would keep others from starting, 3 for both, or 0
local token = worker .. ':' .. step
-- Most queues use few features: then most of the questions below need not be asked.
local hasSpecial = redis.call('EXISTS', notes, delayed, occurrences, prioritized, aside, grouped, outgoing, logs) > 0
mayHaveLogs = hasSpecial
local hasNotes = hasSpecial and redis.call('EXISTS', notes) == 1

-- 1. Settle finished tasks.

local NOTHING = {}
local counted = { completed = 0, retry = 0, dead = 0 }

local function keepCompleted(ids, results)
  if keep == '0' then
    forgetRecords(ids)
    return
  end
  local length = redis.call('LPUSH', completed, unpack(ids))
  redis.call('HSET', outcomes, unpack(results))
  if length > tonumber(keep) then trimCompleted(tonumber(keep), nil, 5000, length) end
end

local COMPLETED = 'completed ' .. now .. ' '

local function complete(id, result, extras, ids, results)
  freeKey(extras.k, id)
  leaveGroup(extras.g)
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

local function retryLater(id, problem, delay, extras)
  dropLease(id, extras.g)
  redis.call('HINCRBY', notes, 'failures:' .. id, 1)
  redis.call('HSET', notes, 'error:' .. id, problem)
  tell('retrying', id, problem)
  if delay > 0 then
    delayUntil(now + delay, id)
  else
    enqueue(id, headerOf(id) or { n = '' })
  end
end

-- The worker, or the process that ran the handler, has died. True if the task may run again.
local function recoverTask(id, why)
  local times = redis.call('HINCRBY', notes, 'recoveries:' .. id, 1)
  local header = headerOf(id)
  if header and times > (header.r or tonumber(recoveries)) then
    bury(id, '{"name":"KitError","code":"LOST","message":"' .. string.format(why, times) .. '"}', header)
    return false
  end
  dropLease(id, header and header.g)
  tell('recovered', id)
  return true
end

local ENDED = 'its lease ended %d times before the worker was done: the workers died, or were cut off'
local CRASHED = 'the process or thread of its handler died %d times before the task was done'

local function settle()
  if #settlements == 0 then return '' end
  local wanted, flags = {}, {}
  for i = 1, #settlements, 6 do wanted[#wanted + 1] = settlements[i] end
  local tokens = redis.call('HMGET', holders, unpack(wanted))
  local done, results, back = {}, {}, {}
  for i = 1, #settlements, 6 do
    local at = (i + 5) / 6
    local id, kind, payload = settlements[i], settlements[i + 2], settlements[i + 3]
    if tokens[at] ~= settlements[i + 1] then
      flags[at] = '0'
    else
      flags[at] = '1'
      local extras = settlements[i + 5] == '' and NOTHING or cjson.decode(settlements[i + 5])
      if counted[kind] then counted[kind] = counted[kind] + 1 end
      if kind == 'completed' then
        complete(id, payload, extras, done, results)
      else
        hasSpecial, hasNotes = true, true
        if kind == 'retry' then
          retryLater(id, payload, tonumber(settlements[i + 4]), extras)
        elseif kind == 'dead' then
          redis.call('HINCRBY', notes, 'failures:' .. id, 1)
          bury(id, payload, extras)
        elseif kind == 'crashed' then
          if recoverTask(id, CRASHED) then back[#back + 1] = id end
        elseif tonumber(settlements[i + 4]) > 0 then
          dropLease(id, extras.g)
          delayUntil(now + tonumber(settlements[i + 4]), id)
          tell('rescheduled', id)
        else
          dropLease(id, extras.g)
          back[#back + 1] = id
          tell('released', id)
        end
      end
    end
  end
  if #done > 0 then
    redis.call('HDEL', holders, unpack(done))
    keepCompleted(done, results)
  end
  if #back > 0 then
    putBack(back)
    wakeOne()
  end
  return table.concat(flags)
end

-- Max tasks of each state that one step removes because of their age, so that it stays short.
local MAX_TRIMMED = 100

-- Removes tasks that are not to be kept. True if there may be more.
local function trim()
  local removed = 0
  if keepAge ~= '' then
    removed = trimCompleted(tonumber(keep), now - tonumber(keepAge), MAX_TRIMMED, redis.call('LLEN', completed))
  end
  if hasDied or keepDeadAge ~= '' then
    local oldest = keepDeadAge ~= '' and now - tonumber(keepDeadAge) or nil
    removed = math.max(removed, trimDead(tonumber(keepDead), oldest, MAX_TRIMMED))
  end
  return removed == MAX_TRIMMED
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
  hasSpecial, hasNotes = true, true
  local back = {}
  for _, id in ipairs(expired) do
    if recoverTask(id, ENDED) then back[#back + 1] = id end
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
    if header then enqueue(id, header) end
  end
  return true
end

-- 3. Take tasks (see take.lua).

-- For how many ms the queue is still paused: nil if it is not, infinity if until it is resumed.
local function pauseLeft(paused)
  if not paused then return nil end
  if paused == '1' then return math.huge end
  local left = tonumber(paused) - now
  if left > 0 then return left end
  redis.call('HDEL', meta, 'paused')
  tell('resumed', '-')
  return nil
end

-- How many tasks the rate limit allows now, and the ms until it allows one more.
local function allowance(number, limit, per)
  for allowed = 1, number do
    if allowed > limit then return limit, per end
    local start = redis.call('LINDEX', starts, limit - allowed)
    if start and tonumber(start) > now - per then return allowed - 1, tonumber(start) + per - now end
  end
  return number, 0
end

local function noteStarts(number, limit, per)
  for _ = 1, number do redis.call('LPUSH', starts, now) end
  redis.call('LTRIM', starts, 0, limit - 1)
  redis.call('PEXPIRE', starts, per)
end

local function take(number)
  if not hasSpecial or redis.call('EXISTS', prioritized, aside, grouped) == 0 then
    takeWaiting(number)
  elseif redis.call('EXISTS', grouped) == 0 then
    takeUngrouped(number)
  else
    takeInTurns(number)
  end
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

-- Sums of the current minute, when tasks have been settled and taken: completed, retried, dead, ms of handlers, started for the
-- first time, ms between adding and that start.
local function countMinute()
  if keepMetrics == '0' then return end
  local started, waited = 0, 0
  for _, id in ipairs(ids) do
    if not hasNotes or redis.call('HEXISTS', notes, 'failures:' .. id) + redis.call('HEXISTS', notes, 'recoveries:' .. id) == 0 then
      started = started + 1
      waited = waited + math.max(0, now - math.floor(tonumber(string.sub(id, 1, ID_LENGTH)) / 1000))
    end
  end
  local added = { counted.completed, counted.retry, counted.dead, tonumber(spent), started, waited }
  if counted.completed + counted.retry + counted.dead + started == 0 then return end
  local metrics, minute = meta .. ':metrics', math.floor(now / 60000)
  local known = redis.call('HGET', metrics, minute)
  local at = 0
  -- Older programs keep four sums.
  for sum in string.gmatch(known or '', '%d+') do
    at = at + 1
    added[at] = added[at] + tonumber(sum)
  end
  redis.call('HSET', metrics, minute, string.format('%.0f %.0f %.0f %.0f %.0f %.0f', unpack(added)))
  if known then return end
  for _, other in ipairs(redis.call('HKEYS', metrics)) do
    if tonumber(other) <= minute - tonumber(keepMetrics) then redis.call('HDEL', metrics, other) end
  end
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

local flags, pause, hasMore
local isLimited = false
local known = keepMs ~= '0' and redis.call('GET', receipt)
local knownFlags, knownIds = string.match(known or '', '^' .. step .. ' ([01]*) (.*)$')
if knownFlags then
  flags = knownFlags
  for id in string.gmatch(knownIds, '%S+') do
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
  if hasSpecial then moved = promoteDue() or moved end
  if hasDied or keepAge ~= '' or keepDeadAge ~= '' then hasMore = trim() end
  local state = redis.call('HMGET', meta, 'paused', 'limit', 'per', 'concurrency')
  local limit, per, concurrency = tonumber(state[2]), tonumber(state[3]), tonumber(state[4])
  pause = pauseLeft(state[1])
  local number = pause and 0 or tonumber(count)
  local free = concurrency and concurrency - redis.call('HLEN', holders)
  if free then number = math.max(0, math.min(number, free)) end
  if number > 0 and limit then number, pause = allowance(number, limit, per) end
  if number > 0 then take(number) end
  if limit and #ids > 0 then noteStarts(#ids, limit, per) end
  leaseOut()
  countMinute()
  isLimited = free ~= nil or hasSpecial and redis.call('EXISTS', grouped, running) > 0
  -- Tasks held back by the rate limit or a pause with an end need no wake-up: this worker has a timer for them. Those held back by the max
  -- number of active tasks neither: when one of these ends, its worker takes another, or wakes one.
  local mayGoOn = (pause or 0) == 0 and (not free or free > #ids)
  if watched == '1' and #ids == tonumber(count) then
    wakeIfAny()
  elseif mayGoOn and (moved or watched == '1' or free and flags ~= '') then
    wakeIfWaiting()
  elseif mayGoOn then
    wakeFreed()
  end
  publish(bound)
  if keepMs ~= '0' and (flags ~= '' or #ids > 0) then
    redis.call('SET', receipt, step .. ' ' .. flags .. ' ' .. table.concat(ids, ' '), 'PX', keepMs)
  end
end

-- 4. Find the next due time.

local due = {}
local hints = isLimited and 2 or 0
if hasSpecial then
  for _, name in ipairs(redis.call('ZRANGEBYSCORE', occurrences, '-inf', now, 'LIMIT', 0, 100)) do
    due[#due + 1] = name
    due[#due + 1] = redis.call('HGET', schedules, name) or ''
    due[#due + 1] = redis.call('ZSCORE', occurrences, name)
  end
  if redis.call('ZCOUNT', outgoing, '-inf', now) > 0 then hints = hints + 1 end
end

local waitMs = -1
if #ids < tonumber(count) then
  local nextTime = sooner(nil, active)
  if hasSpecial then nextTime = sooner(sooner(sooner(nextTime, delayed), occurrences), outgoing) end
  if pause and pause > 0 and pause < math.huge and (not nextTime or now + pause < nextTime) then nextTime = now + pause end
  if nextTime then waitMs = math.max(0, nextTime - now) end
  if passed >= MAX_PASSED or hasMore then waitMs = 0 end
end
return { flags, waitMs, now, taken, due, troublesOfTaken(), hints }
