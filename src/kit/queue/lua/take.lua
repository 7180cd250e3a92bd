-- Chooses the tasks that a worker takes. Included between removal.lua and advance.lua, and uses the argument `kinds`.
--
-- A worker takes only tasks of the kinds that it handles, in order: by priority; within a priority, tasks set aside come
-- first, because they have waited longer. It sets aside the tasks of other kinds that it finds, for workers that handle
-- them. A task is set aside once, so it is not skipped repeatedly. Groups take turns, and all tasks without a group count
-- as one more group.

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

local kindNames

local function handledKinds()
  kindNames = kindNames or cjson.decode('[' .. string.gsub(kinds, '\n', ',') .. ']')
  return kindNames
end

-- Tasks of the worker's kinds that were set aside, in order.
local own, nextOwn = nil, 1

local function findOwn(number)
  own = {}
  for _, kind in ipairs(handledKinds()) do
    for _, member in ipairs(asideOfKind(kind, number)) do
      own[#own + 1] = { member = member, place = string.sub(member, #kind + 2) }
    end
  end
  table.sort(own, function(one, other) return one.place < other.place end)
end

local function takeOwn(number, lastRank)
  while not isEnough(number) and own[nextOwn] and string.sub(own[nextOwn].place, 1, 7) <= lastRank do
    redis.call('ZREM', aside, own[nextOwn].member)
    accept({ string.sub(own[nextOwn].place, 8) })
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

local function takeUngrouped(number)
  if not own then findOwn(tonumber(count)) end
  takePrioritized(number, '-inf', '(0')
  takeOwn(number, rankOf(0))
  takeWaiting(number)
  takePrioritized(number, '(0', '+inf')
  takeOwn(number, rankOf(-MAX_PRIORITY))
end

-- Of the worker's kinds, the group whose turn it is.
local function nextLane()
  local kind, group, turn
  for _, candidate in ipairs(handledKinds()) do
    local first = redis.call('ZRANGE', turnsOf(candidate), 0, 0, 'WITHSCORES')
    local itsTurn = tonumber(first[2])
    if itsTurn and (not turn or itsTurn < turn) then kind, group, turn = candidate, first[1], itsTurn end
  end
  return kind, group, turn
end

-- The next task of a group, of all lanes of the worker's kinds: by priority, then in order. Returns its kind, too.
local function firstOfGroup(group)
  local first, kind, place
  for _, candidate in ipairs(handledKinds()) do
    local member = firstInLane(candidate, group)
    local its = member and string.sub(member, #candidate + #group + 3)
    if its and (not place or its < place) then first, kind, place = member, candidate, its end
  end
  return first, kind
end

-- `turnOf` is the kind by which the group has its turn.
local function takeFromGroup(group, turnOf)
  local member, kind
  if mayStart(group) then member, kind = firstOfGroup(group) end
  if not member then
    redis.call('ZREM', turnsOf(turnOf), group)
    return
  end
  redis.call('ZREM', grouped, member)
  local before = #ids
  accept({ string.sub(member, #kind + #group + 10) })
  if #ids > before then redis.call('HINCRBY', running, group, 1) end
  if not mayStart(group) or not firstInLane(kind, group) then redis.call('ZREM', turnsOf(kind), group) end
  local turn = nextTurn()
  for _, other in ipairs(handledKinds()) do redis.call('ZADD', turnsOf(other), 'XX', turn, group) end
end

local function takeInTurns(number)
  local mayBeUngrouped = true
  while not isEnough(number) do
    local kind, group, turn = nextLane()
    if not kind then
      if mayBeUngrouped then takeUngrouped(number) end
      return
    end
    local turnOfOthers = tonumber(redis.call('HGET', meta, 'turnOfOthers') or 0)
    if mayBeUngrouped and turnOfOthers < turn then
      local before = #ids + passed
      takeUngrouped(#ids + 1)
      mayBeUngrouped = #ids + passed > before
      if mayBeUngrouped then redis.call('HSET', meta, 'turnOfOthers', nextTurn()) end
    else
      takeFromGroup(group, kind)
    end
  end
end
