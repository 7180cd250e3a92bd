-- Tasks with a group: groups take turns, and the number of active tasks of a group has a limit. Included after shared.lua.
--   waiting:groups      zset  score 0, ordered by members: kind, NUL, group, NUL, rank of the priority, id. The tasks of one
--                             kind and group are a lane
--   waiting:kinds       set   the kinds of which there were tasks with a group
--   waiting:turns:KIND  zset  groups that have a lane of this kind and may start a task; score = turn, the smallest first
--   active:groups       hash  group -> number of active tasks
-- A group that has reached its limit loses its turn when it is found, and gets one again when one of its tasks ends.
local grouped = waiting .. ':groups'
local running = active .. ':groups'

local function turnsOf(kind)
  return waiting .. ':turns:' .. kind
end

local function placeInLane(id, header)
  return header.n .. '\0' .. header.g .. '\0' .. rankOf(header.p or 0) .. id
end

local function firstInLane(kind, group)
  local lane = kind .. '\0' .. group .. '\0'
  return redis.call('ZRANGEBYLEX', grouped, '[' .. lane, '(' .. lane .. ':', 'LIMIT', 0, 1)[1]
end

local function mayStart(group)
  local limits = redis.call('HMGET', meta, 'groupLimit:' .. group, 'groupLimit')
  local limit = tonumber(limits[1] or limits[2] or nil)
  return not limit or tonumber(redis.call('HGET', running, group) or 0) < limit
end

local function nextTurn()
  return redis.call('HINCRBY', meta, 'turn', 1)
end

local function joinLane(id, header)
  redis.call('ZADD', grouped, 0, placeInLane(id, header))
  redis.call('SADD', waiting .. ':kinds', header.n)
  if mayStart(header.g) then
    redis.call('ZADD', turnsOf(header.n), 'NX', nextTurn(), header.g)
    wakeKind(header.n)
  end
end

-- A lane without tasks has no turn: those that come later wait until the other groups had theirs.
local function leaveLane(id, header)
  redis.call('ZREM', grouped, placeInLane(id, header))
  if not firstInLane(header.n, header.g) then redis.call('ZREM', turnsOf(header.n), header.g) end
end

-- The group may start a task: its lanes get a turn, after all others. Returns the kinds that have one.
local function openLanes(group)
  local opened = {}
  if not mayStart(group) then return opened end
  for _, kind in ipairs(redis.call('SMEMBERS', waiting .. ':kinds')) do
    if firstInLane(kind, group) then
      redis.call('ZADD', turnsOf(kind), 'NX', nextTurn(), group)
      opened[#opened + 1] = kind
    end
  end
  return opened
end

-- The kinds for which a worker must be woken at the end of this script, unless the script takes their tasks.
local freed = {}

-- A task of the group is no longer active.
local function leaveGroup(group)
  if not group then return end
  if redis.call('HINCRBY', running, group, -1) <= 0 then redis.call('HDEL', running, group) end
  for _, kind in ipairs(openLanes(group)) do freed[kind] = true end
end

local function wakeFreed()
  for kind in pairs(freed) do
    if redis.call('EXISTS', turnsOf(kind)) == 1 then wakeKind(kind) end
  end
end

local function enqueue(id, header)
  local priority = header.p or 0
  if header.g then
    joinLane(id, header)
  elseif priority ~= 0 then
    redis.call('ZADD', prioritized, -priority, id)
  elseif header.h then
    redis.call('LPUSH', waiting, id)
  else
    redis.call('RPUSH', waiting, id)
  end
end

-- Puts tasks back where they were taken from, before all later ones.
local function putBack(ids)
  table.sort(ids)
  for i = #ids, 1, -1 do
    local header = headerOf(ids[i])
    if header then
      if not header.g and #asideOfKind(header.n, 1) > 0 then
        setAside(ids[i], header)
      elseif not header.g and (header.p or 0) == 0 then
        redis.call('LPUSH', waiting, ids[i])
      else
        enqueue(ids[i], header)
      end
    end
  end
end

-- The lease itself is removed when its worker reports that it has no tasks left, or when it ends. Returns whether the task
-- was active.
local function dropLease(id, group)
  if redis.call('HDEL', holders, id) == 0 then return false end
  leaveGroup(group)
  return true
end
