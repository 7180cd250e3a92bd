-- Adds tasks, all or none.
-- KEYS: the keys of the queue.
-- ARGV: call      number of the call, or '' to keep no receipt
--       sender    name of the caller
--       bound     approximate max entries in the stream of events
--       renews    '1' to extend the expiry of the events
--       entries   two per task: its record, and its special options as JSON, or '':
--                 p priority, d delay in ms, t when it is due in Unix ms, k unique key, w tasks to wait for: ids, or how
--                 many entries before this one
-- Returns the ids; the id of an existing task with the same unique key is prefixed with '='. Waiting for an id that was
-- never issued is an error.
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

local function resolve(reference, at)
  if type(reference) == 'string' then return reference end
  return (string.gsub(ids[at - reference], '=', ''))
end

-- Stores the ids that the task waits for; returns how many of them are not over yet.
local function block(id, references, at)
  local count = 0
  for _, reference in ipairs(references) do
    local other = resolve(reference, at)
    local outcome = redis.call('HGET', outcomes, other)
    if outcome and string.sub(outcome, 1, 9) == 'completed' then
      local result = string.match(outcome, '^completed %d+ (.+)$')
      if result then redis.call('HSET', notes, 'input:' .. id .. ':' .. other, result) end
    elseif redis.call('HEXISTS', tasks, other) == 1 then
      local field = 'dependents:' .. other
      redis.call('HSET', notes, field, (redis.call('HGET', notes, field) or '') .. ' ' .. id)
      count = count + 1
    end
  end
  if count > 0 then redis.call('ZADD', blocked, count, id) end
  return count
end

-- Check everything before the first write.
for i = 2, #entries, 2 do
  if entries[i] ~= '' then
    for _, reference in ipairs(cjson.decode(entries[i]).w or {}) do
      if type(reference) == 'string' then
        local last = tonumber(redis.call('HGET', meta, 'last') or 0)
        if #reference ~= 16 or not tonumber(reference) or tonumber(reference) > last then
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

for i = 1, #entries, 2 do
  local at = (i + 1) / 2
  local special = entries[i + 1] ~= '' and cjson.decode(entries[i + 1])
  local existing = special and special.k and redis.call('HGET', unique, special.k)
  if existing then
    ids[at] = '=' .. existing
  else
    local id = newId()
    local record = entries[i]
    ids[at] = id
    if special then
      writeRecords()
      if special.w then
        for index, reference in ipairs(special.w) do special.w[index] = resolve(reference, at) end
        -- Inserted into the header as text: decoding and encoding would lose the order of its fields.
        local headerEnd = string.find(record, '\n', 1, true)
        record = string.sub(record, 1, headerEnd - 2) .. ',"w":' .. cjson.encode(special.w) .. '}' ..
          string.sub(record, headerEnd)
      end
    end
    fields[#fields + 1] = id
    fields[#fields + 1] = record
    tell('added', id)
    if not special then
      plain[#plain + 1] = id
    else
      writeRecords()
      if special.k then redis.call('HSET', unique, special.k, id) end
      local due = special.t or (special.d and now + special.d) or 0
      if special.w and block(id, special.w, at) > 0 then
        tell('blocked', id)
      elseif due > now then
        redis.call('ZADD', delayed, due, id)
        -- Idle workers must learn of it, unless one of them wakes earlier anyway.
        if redis.call('ZRANK', delayed, id) == 0 then hasWork = true end
      elseif (special.p or 0) == 0 then
        plain[#plain + 1] = id
      else
        enqueue(id, special.p)
        hasWork = true
      end
    end
  end
end

writeRecords()
if #plain > 0 then redis.call('RPUSH', waiting, unpack(plain)) end
rememberLastId()
if hasWork or #plain > 0 then wakeOne() end
publish(bound)
if call ~= '' then
  local text = string.format('%s %d %s', call, micros(), table.concat(ids, ' '))
  redis.call('HSET', meta, 'receipt:' .. sender, text)
end
return ids
