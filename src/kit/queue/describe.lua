-- Returns tasks with their state.
-- KEYS: the keys of the queue. ARGV: state (or 'id'), offset, limit (or the id).
-- Returns nine values per task: id, record, state, when (due, end of lease or of the task, in ms, or ''), failures,
-- recoveries, progress, last error, result; '' if missing.
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

local function asideIds(first, number)
  local ids = {}
  for _, member in ipairs(redis.call('ZRANGE', aside, first, first + number - 1)) do ids[#ids + 1] = string.sub(member, -16) end
  return ids
end

-- Waiting tasks in the order in which they will be taken: above priority 0, priority 0, below; then those set aside.
local function waitingIds(first, number)
  local above = redis.call('ZCOUNT', prioritized, '-inf', '(0')
  local plain = redis.call('LLEN', waiting)
  local ids = {}
  local function append(part)
    for _, id in ipairs(part) do ids[#ids + 1] = id end
  end
  if first < above then append(redis.call('ZRANGE', prioritized, first, math.min(above, first + number) - 1)) end
  local from = math.max(0, first - above)
  if #ids < number and from < plain then append(redis.call('LRANGE', waiting, from, from + number - #ids - 1)) end
  from = math.max(above, first - plain)
  if #ids < number then append(redis.call('ZRANGE', prioritized, from, from + number - #ids - 1)) end
  from = math.max(0, first - plain - redis.call('ZCARD', prioritized))
  if #ids < number then append(asideIds(from, number - #ids)) end
  return ids
end

local function activeIds(first, number)
  local ids, part = redis.call('HKEYS', holders), {}
  table.sort(ids)
  for i = first + 1, math.min(first + number, #ids) do part[#part + 1] = ids[i] end
  return part
end

local SORTED_SETS = { blocked = blocked, delayed = delayed, dead = dead }

local function idsOf(first, number)
  if state == 'id' then return { limit } end
  if state == 'waiting' then return waitingIds(first, number) end
  if state == 'setAside' then return asideIds(first, number) end
  if state == 'active' then return activeIds(first, number) end
  if state == 'completed' then return redis.call('LRANGE', completed, first, first + number - 1) end
  return redis.call('ZRANGE', SORTED_SETS[state], first, first + number - 1)
end

local shown = {}
for _, id in ipairs(idsOf(tonumber(offset), tonumber(limit))) do
  local record = redis.call('HGET', tasks, id)
  if record then
    local word, time, detail = stateOf(id)
    local noted = redis.call('HMGET', notes, 'failures:' .. id, 'recoveries:' .. id, 'progress:' .. id, 'error:' .. id)
    for _, value in ipairs({ id, record, word, time, noted[1] or '0', noted[2] or '0', noted[3] or '',
      word == 'dead' and detail or noted[4] or '', word == 'completed' and detail or '' }) do
      shown[#shown + 1] = value
    end
  end
end
return shown
