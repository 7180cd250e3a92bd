-- Shared by all semaphore scripts: which permits are held, and who is next. Read after clock.lua and
-- waiting-line.lua. Uses the keys `permits`, `limit`, `queue`, `waiters`, and the argument `defaultLimit`.
--   permits  sorted set: 'ID NUMBER', one for each permit of an acquisition -> when its lease ends, in ms
--   limit    number of permits; if missing, defaultLimit

redis.call('ZREMRANGEBYSCORE', permits, '-inf', now)

local function permit(id, number)
  return id .. ' ' .. number
end

local function setLease(id, count, ends)
  for number = 1, count do redis.call('ZADD', permits, whole(ends), permit(id, number)) end
  if redis.call('PTTL', permits) < ends - now then redis.call('PEXPIREAT', permits, whole(ends)) end
end

-- When the lease of this acquisition ends; nil if it has none.
local function leaseEnd(id)
  return tonumber(redis.call('ZSCORE', permits, permit(id, 1)) or nil)
end

local function dropPermits(id, count)
  local dropped = 0
  for number = 1, count do dropped = dropped + redis.call('ZREM', permits, permit(id, number)) end
  return dropped
end

local function presentLimit()
  return tonumber(redis.call('GET', limit) or defaultLimit)
end

local function areFree(count)
  return redis.call('ZCARD', permits) + count <= presentLimit()
end

-- With a limit of 0, all clients wait until it is raised. Otherwise a client may not request more than the limit.
local function isTooMuch(count)
  local most = presentLimit()
  return most > 0 and count > most
end

-- Grants permits to the next waiters by message, naming the attempt that each message answers. Small requests
-- do not overtake a large one. A request over the limit is woken, so that it fails.
local function serveLine()
  while true do
    local id, channel, request = firstInLine()
    if not id then return end
    local count, lease, attempt = string.match(request, '^(%d+) (%d+) (%d+)$')
    count = tonumber(count)
    local canTake = areFree(count)
    if not canTake and not isTooMuch(count) then return end
    leaveLine(id)
    if canTake then
      setLease(id, count, now + lease)
      redis.call('PUBLISH', channel, id .. ' ' .. attempt .. ' 1')
    else
      redis.call('PUBLISH', channel, id)
    end
  end
end
