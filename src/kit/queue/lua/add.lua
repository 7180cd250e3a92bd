-- Adds tasks, all or none.
-- KEYS: the keys of the queue.
-- ARGV: call      number of the call, or '' to keep no receipt
--       sender    name of the caller
--       bound     approximate max entries in the stream of events
--       renews    '1' to extend the expiry of the events
--       keepDead  max dead tasks to keep
--       parent    '', or the task of another queue that waits for the last entry, as JSON: to (queue), id, child
--       entries   two per task: its record, and its special options as JSON, or '':
--                 p priority, h 1 for last in first out, g group and n kind, i own id, d delay in ms, t when it is due in Unix ms,
--                 k unique key, u throttle {k, ms}, b debounce {ms, max} by the key k, w tasks to wait for: ids, or how many
--                 entries before this one, o children in other queues: {to, child, add: entries with options as objects}, and this queue
--                 in `from`
-- Returns the ids; the id of an existing task that takes the place of a new one is prefixed with '='. Waiting for an id
-- that was never issued is an error.
if call ~= '' then
  local receipt = redis.call('HGET', meta, 'receipt:' .. sender)
  if not receipt then tidyReceipts(micros()) end
  local number, given = string.match(receipt or '', '^(%d+) %d+ (.*)$')
  if number == call then
    local ids = {}
    for id in string.gmatch(given, '%S+') do ids[#ids + 1] = id end
    return ids
  end
end

local ids, plain = {}, {}
local hasWork = false

local function withoutMark(id)
  return string.sub(id, 1, 1) == '=' and string.sub(id, 2) or id
end

local function resolve(reference, at)
  if type(reference) == 'string' then return idOf(reference) or reference end
  return withoutMark(ids[at - reference])
end

-- The error of a dead task, if it says what becomes of those that wait for it, and what that is.
local function deathOf(id, outcome)
  local problem = outcome and string.match(outcome, '^dead %d+ (.*)$')
  local fate = problem and (headerOf(id) or {}).f
  if fate then return problem, fate end
end

-- Stores what the task waits for. Returns how many of these tasks are not over yet, and why this task is dead, if one of them is.
local function block(id, special, at)
  local count, reason = 0, nil
  for _, other in ipairs(special.w or {}) do
    local outcome = redis.call('HGET', outcomes, other)
    local problem, fate = deathOf(other, outcome)
    if outcome and string.sub(outcome, 1, 9) == 'completed' then
      local result = string.match(outcome, '^completed %d+ (.+)$')
      if result then redis.call('HSET', notes, 'input:' .. id .. ':' .. other, result) end
    elseif fate == 'continue' then
      redis.call('HSET', notes, 'died:' .. id .. ':' .. other, problem)
    elseif fate then
      reason = reason or problemOfParent(publicId(other), problem)
    elseif redis.call('HEXISTS', tasks, other) == 1 then
      addDependent(other, id)
      count = count + 1
    end
  end
  for _, remote in ipairs(special.o or {}) do
    redis.call('HSET', notes, 'remote:' .. id .. ':' .. remote.child, '1')
    send({ to = remote.to, add = remote.add, parent = { to = special.from, id = id, child = remote.child } })
    count = count + 1
  end
  if count > 0 and not reason then redis.call('ZADD', blocked, count, id) end
  return count, reason
end

-- Check everything before the first write.
for i = 2, #entries, 2 do
  if entries[i] ~= '' then
    for _, reference in ipairs(cjson.decode(entries[i]).w or {}) do
      if type(reference) == 'string' then
        local id = idOf(reference)
        if not id or id == reference and tonumber(id) > tonumber(redis.call('HGET', meta, 'last') or 0) then
          return redis.error_reply('NOTASK there is no task ' .. reference .. ' to wait for: `after` takes ids that `add` has given')
        end
      end
    end
  end
end

local fields = {}

-- A later entry may look for a record, so records are added to the hash first.
local function writeRecords()
  if #fields > 0 then redis.call('HSET', tasks, unpack(fields)) end
  fields = {}
end

-- A debounced task that has not started gets the data of the new one, and waits again. False if there is none.
local function renewDebounced(special, record)
  local id = redis.call('HGET', unique, special.k)
  local known = id and redis.call('HGET', holders, id) == false and redis.call('HGET', tasks, id)
  if not known then return false end
  local header = string.sub(known, 1, string.find(known, '\n', 1, true))
  redis.call('HSET', tasks, id, header .. string.sub(record, string.find(record, '\n', 1, true) + 1))
  if redis.call('ZSCORE', delayed, id) then
    local due = now + special.b.ms
    local added = math.floor(tonumber(string.sub(id, 1, ID_LENGTH)) / 1000)
    if special.b.max then due = math.min(due, added + special.b.max) end
    delayUntil(math.max(due, now), id)
  end
  tell('updated', id)
  return id
end

-- The keys of tasks that were throttled, a few at a time once their time is over.
local function throttledBy(throttle)
  local ends, first = unique .. ':until', unique .. ':ids'
  for _, key in ipairs(redis.call('ZRANGEBYSCORE', ends, '-inf', now, 'LIMIT', 0, 10)) do
    redis.call('ZREM', ends, key)
    redis.call('HDEL', first, key)
  end
  local over = redis.call('ZSCORE', ends, throttle.k)
  return over and tonumber(over) > now and redis.call('HGET', first, throttle.k)
end

-- The task that takes the place of a new one; false if there is none.
local function existing(special, record)
  local id = special.i and redis.call('HGET', tasks .. ':names', special.i)
  if not id and special.u then id = throttledBy(special.u) end
  if not id and special.b then return renewDebounced(special, record) end
  if not id and special.k then id = redis.call('HGET', unique, special.k) end
  return id
end

local function addSpecial(at, record, special)
  local id = newId() .. (special.i and ':' .. special.i or '')
  ids[at] = id
  if special.w then
    for index, reference in ipairs(special.w) do special.w[index] = resolve(reference, at) end
    -- Inserted into the header as text: decoding and encoding would lose the order of its fields.
    local headerEnd = string.find(record, '\n', 1, true)
    record = string.sub(record, 1, headerEnd - 2) .. ',"w":' .. cjson.encode(special.w) .. '}' ..
      string.sub(record, headerEnd)
  end
  redis.call('HSET', tasks, id, record)
  tell('added', id)
  if special.i then redis.call('HSET', tasks .. ':names', special.i, id) end
  if special.k then redis.call('HSET', unique, special.k, id) end
  if special.u then
    redis.call('ZADD', unique .. ':until', now + special.u.ms, special.u.k)
    redis.call('HSET', unique .. ':ids', special.u.k, id)
  end
  local due = special.t or (special.d and now + special.d) or 0
  local count, reason = 0, nil
  if special.w or special.o then count, reason = block(id, special, at) end
  if reason then
    bury(id, reason, headerIn(record))
  elseif count > 0 then
    tell('blocked', id)
  elseif due > now then
    delayUntil(due, id)
  elseif special.p or special.g or special.h then
    enqueue(id, special)
    if not special.g then hasWork = true end
  else
    plain[#plain + 1] = id
  end
end

-- Tasks of another queue can wait for any task, also for an existing one.
local function attachParent(id, text)
  local outcome = redis.call('HGET', outcomes, id)
  local problem, fate = deathOf(id, outcome)
  local waits = cjson.decode(text)
  if outcome and string.sub(outcome, 1, 9) == 'completed' then
    send({ to = waits.to, parent = waits.id, child = waits.child, result = string.match(outcome, '^completed %d+ (.*)$') })
  elseif fate then
    send({ to = waits.to, parent = waits.id, child = waits.child, problem = problem, fate = fate })
  else
    addDependent(id, text)
  end
end

for i = 1, #entries, 2 do
  local at, record = (i + 1) / 2, entries[i]
  if entries[i + 1] == '' then
    local id = newId()
    ids[at] = id
    fields[#fields + 1] = id
    fields[#fields + 1] = record
    plain[#plain + 1] = id
    tell('added', id)
  else
    writeRecords()
    local special = cjson.decode(entries[i + 1])
    local known = existing(special, record)
    if known then ids[at] = '=' .. known else addSpecial(at, record, special) end
  end
end

writeRecords()
if parent ~= '' then attachParent(withoutMark(ids[#ids]), parent) end
if #plain > 0 then redis.call('RPUSH', waiting, unpack(plain)) end
rememberLastId()
trimAfterDeath(keepDead)
if hasWork or #plain > 0 then wakeOne() end
publish(bound)
if call ~= '' then
  local text = string.format('%s %d %s', call, micros(), table.concat(ids, ' '))
  redis.call('HSET', meta, 'receipt:' .. sender, text)
end
return ids
