-- Finds the ids of tasks by their state, page by page.

-- The ids of members that end with an id, after kind, NUL and seven digits (aside), or kind, NUL, group, NUL and seven digits.
local function idsIn(members, pattern)
  local ids = {}
  for _, member in ipairs(members) do ids[#ids + 1] = string.match(member, pattern) end
  return ids
end

local function asideIds(first, number)
  return idsIn(redis.call('ZRANGE', aside, first, first + number - 1), '%z%d%d%d%d%d%d%d([^%z]*)$')
end

local function groupedIds(first, number)
  return idsIn(redis.call('ZRANGE', grouped, first, first + number - 1), '%z%d%d%d%d%d%d%d([^%z]*)$')
end

-- Waiting tasks in the order in which they will be taken: above priority 0, priority 0, below; then those set aside, then
-- those of groups.
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
  from = math.max(0, first - plain - redis.call('ZCARD', prioritized) - redis.call('ZCARD', aside))
  if #ids < number then append(groupedIds(from, number - #ids)) end
  return ids
end

local function activeIds(first, number)
  local ids, part = redis.call('HKEYS', holders), {}
  table.sort(ids)
  for i = first + 1, math.min(first + number, #ids) do part[#part + 1] = ids[i] end
  return part
end

local SORTED_SETS = { blocked = blocked, delayed = delayed, dead = dead }

local function idsOf(state, first, number)
  if state == 'waiting' then return waitingIds(first, number) end
  if state == 'setAside' then return asideIds(first, number) end
  if state == 'active' then return activeIds(first, number) end
  if state == 'completed' then return redis.call('LRANGE', completed, first, first + number - 1) end
  return redis.call('ZRANGE', SORTED_SETS[state], first, first + number - 1)
end

-- Where the task is in a list. Tries the expected position first: a search takes time in proportion to the list.
local function indexIn(list, id, expected)
  if expected >= 0 and redis.call('LINDEX', list, expected) == id then return expected end
  return redis.call('LPOS', list, id)
end

-- The position of a task among those of its state; nil if it is no longer in this state.
local function positionOf(state, id, expected)
  local header = headerOf(id)
  if not header then return nil end
  if state == 'completed' then return indexIn(completed, id, expected) or nil end
  if state == 'setAside' then return redis.call('ZRANK', aside, placeAside(id, header)) or nil end
  if SORTED_SETS[state] then return redis.call('ZRANK', SORTED_SETS[state], id) or nil end
  if state == 'active' then
    if redis.call('HEXISTS', holders, id) == 0 then return nil end
    for at, other in ipairs(activeIds(0, redis.call('HLEN', holders))) do
      if other == id then return at - 1 end
    end
  end
  local above, plain = redis.call('ZCOUNT', prioritized, '-inf', '(0'), redis.call('LLEN', waiting)
  local rank = redis.call('ZRANK', prioritized, id)
  if rank then return rank < above and rank or rank + plain end
  local before = plain + redis.call('ZCARD', prioritized)
  rank = redis.call('ZRANK', aside, placeAside(id, header))
  if rank then return before + rank end
  if header.g then
    rank = redis.call('ZRANK', grouped, placeInLane(id, header))
    return rank and before + redis.call('ZCARD', aside) + rank or nil
  end
  local index = indexIn(waiting, id, expected - above)
  return index and index + above or nil
end
