-- A feed: the home of a user, or one of a user's lists. Read after order.lua.
--   sources    sorted set: user that the feed follows → number of the relation
--   timeline   sorted set: status (author/number) → number; at most `size` of them
--   floor      string: the last status that had no room. The timeline has every status of its sources after the floor, and none
--              before it; without a floor it is complete.

local function isAbove(number, member, bottom)
  if not bottom then return true end
  local limit = tonumber(string.match(bottom, '%d+$'))
  number = tonumber(number)
  return number > limit or (number == limit and isBefore(bottom, member))
end

-- Removes what has no room.
local function trim(timeline, floor, size)
  local extra = redis.call('ZCARD', timeline) - size
  if extra <= 0 then return end
  local removed = redis.call('ZPOPMIN', timeline, extra)
  redis.call('SET', floor, removed[#removed - 1])
end

-- The feed has nothing up to this status.
local function raiseFloor(timeline, floor, number, member)
  if not isAbove(number, member, redis.call('GET', floor)) then return end
  redis.call('SET', floor, member)
  while true do
    local lowest = redis.call('ZRANGE', timeline, 0, 0, 'WITHSCORES')
    if #lowest == 0 or isAbove(lowest[2], lowest[1], member) then return end
    redis.call('ZREM', timeline, lowest[1])
  end
end

-- Calls `isWanted` with the number of each status of an author in the timeline, and removes those for which it is false.
local function sift(timeline, author, isWanted)
  local head = author .. '/'
  for _, member in ipairs(redis.call('ZRANGE', timeline, 0, -1)) do
    if string.sub(member, 1, #head) == head and not isWanted(string.sub(member, #head + 1)) then
      redis.call('ZREM', timeline, member)
    end
  end
end

local function isShort(timeline, floor, size)
  return redis.call('ZCARD', timeline) < size * 0.75 and redis.call('EXISTS', floor) == 1
end
