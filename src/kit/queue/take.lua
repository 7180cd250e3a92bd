-- Chooses the tasks that a worker takes. Included between shared.lua and advance.lua, and uses the argument `kinds`.
--
-- A worker takes only tasks of the kinds that it handles, in order: by priority; within a priority, tasks set aside come
-- first, because they have waited longer. It sets aside the tasks of other kinds that it finds, for workers that handle
-- them. A task is set aside once, so it is not skipped repeatedly.

-- Max tasks that one step sets aside, so that it stays short. The worker then takes another step at once.
local MAX_PASSED = 500

local ids = {}
-- Two values per id: id and record.
local taken = {}
local passed = 0

-- The beginnings of the headers that the worker handles. Comparing strings is several times faster than decoding.
local beginnings = {}
local from = 1
repeat
  local lineEnd = string.find(kinds, '\n', from, true)
  beginnings[#beginnings + 1] = '{"n":' .. string.sub(kinds, from, (lineEnd or 0) - 1)
  from = lineEnd and lineEnd + 1
until not from

local function isHandled(record)
  for i = 1, #beginnings do
    local beginning = beginnings[i]
    if string.sub(record, 1, #beginning) == beginning then return true end
  end
  return false
end

-- These tasks have been removed from their list: the worker gets them, or they are set aside.
local function accept(candidates)
  local records = redis.call('HMGET', tasks, unpack(candidates))
  for at, id in ipairs(candidates) do
    local record = records[at]
    if record and isHandled(record) then
      ids[#ids + 1] = id
      taken[#taken + 1] = id
      taken[#taken + 1] = record
    elseif record then
      local header = headerIn(record)
      setAside(id, header)
      tell('setAside', id, cjson.encode(header.n))
      passed = passed + 1
    end
  end
end

local function isEnough(number)
  return #ids >= number or passed >= MAX_PASSED
end

local function takeWaiting(number)
  while not isEnough(number) do
    local popped = redis.call('LPOP', waiting, number - #ids)
    if not popped then return end
    accept(popped)
  end
end

-- Tasks of the worker's kinds that were set aside, in order: the last 23 characters of a member are rank and id.
local own, nextOwn = {}, 1

local function findOwn(number)
  for _, kind in ipairs(cjson.decode('[' .. string.gsub(kinds, '\n', ',') .. ']')) do
    for _, member in ipairs(asideOfKind(kind, number)) do own[#own + 1] = member end
  end
  table.sort(own, function(one, other) return string.sub(one, -23) < string.sub(other, -23) end)
end

local function takeOwn(number, lastRank)
  while not isEnough(number) and own[nextOwn] and string.sub(own[nextOwn], -23, -17) <= lastRank do
    redis.call('ZREM', aside, own[nextOwn])
    accept({ string.sub(own[nextOwn], -16) })
    nextOwn = nextOwn + 1
  end
end

-- Tasks with scores from `min` to `max`, and those set aside that come before them.
local function takePrioritized(number, min, max)
  while not isEnough(number) do
    local batch = own[nextOwn] and 1 or number - #ids
    local found = redis.call('ZRANGEBYSCORE', prioritized, min, max, 'LIMIT', 0, batch)
    if #found == 0 then return end
    if own[nextOwn] then takeOwn(number, rankOf(-redis.call('ZSCORE', prioritized, found[1]))) end
    if not isEnough(number) then
      redis.call('ZREM', prioritized, unpack(found))
      accept(found)
    end
  end
end

local function take(number)
  if redis.call('EXISTS', prioritized, aside) == 0 then
    takeWaiting(number)
    return
  end
  findOwn(number)
  takePrioritized(number, '-inf', '(0')
  takeOwn(number, rankOf(0))
  takeWaiting(number)
  takePrioritized(number, '(0', '+inf')
  takeOwn(number, rankOf(-MAX_PRIORITY))
end
