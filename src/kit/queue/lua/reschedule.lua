-- Changes when a task that has not started is taken: its priority, its time, or both.
-- KEYS: the keys of the queue.
-- ARGV: given     its id
--       priority  the new one, or '' to keep it
--       delay     in ms from now, or ''
--       at        in Unix ms, or ''; without both, the task keeps its time
--       bound     of the stream of events
-- Returns 1; 0 if there is no such task, it is active or over, or it waits for other tasks and is given a time.
local id = idOf(given)
local record = id and redis.call('HGET', tasks, id)
if not record or redis.call('HEXISTS', holders, id) == 1 or redis.call('HEXISTS', outcomes, id) == 1 then return 0 end
local due = tonumber(at) or (delay ~= '' and now + delay) or nil
local isBlocked = redis.call('ZSCORE', blocked, id)
if due and isBlocked then return 0 end
local isDelayed = redis.call('ZSCORE', delayed, id)

-- The priority follows the name in the header. Replaced as text: decoding and encoding would lose the order of the fields.
local function withPriority(number)
  local from = #'{"n":"'
  repeat
    from = string.find(record, '["\\]', from + 1)
    local isEscape = string.sub(record, from, from) == '\\'
    if isEscape then from = from + 1 end
  until not isEscape
  local rest = string.gsub(string.sub(record, from + 1), '^,"p":%-?%d+', '')
  return string.sub(record, 1, from) .. (number == 0 and '' or ',"p":' .. number) .. rest
end

local before = headerIn(record)
local header = before
if priority ~= '' and tonumber(priority) ~= (before.p or 0) then
  record = withPriority(tonumber(priority))
  header = headerIn(record)
  redis.call('HSET', tasks, id, record)
end

-- Moves a waiting task to the place of its new priority; one that was set aside stays there.
local function moveWaiting()
  if header.g then
    -- In this order the group keeps its turn.
    enqueue(id, header)
    takeOut(id, before)
  elseif redis.call('ZREM', aside, placeAside(id, before)) == 1 then
    setAside(id, header)
  else
    takeOut(id, before)
    enqueue(id, header)
  end
end

if due and due > now then
  if not isDelayed then takeOut(id, before) end
  delayUntil(due, id)
elseif due and isDelayed then
  redis.call('ZREM', delayed, id)
  enqueue(id, header)
  wakeOne()
elseif header ~= before and not isDelayed and not isBlocked then
  moveWaiting()
end
tell('rescheduled', id)
publish(bound)
return 1
