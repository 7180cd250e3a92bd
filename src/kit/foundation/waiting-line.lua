-- A queue of waiters, first come first served, for scripts that include clock.lua and this file first.
-- Uses the locals `queue` and `waiters`, keys of the script, and defines the functions below.
--   queue    sorted set: id of a waiter -> its number in the queue: the time in µs until which it lets others overtake, or a greater one
--   waiters  hash: id -> 'ALIVE CHANNEL REQUEST': until when it counts as alive, in ms; where to wake it; what it waits for
-- A waiter that does not renew its entry in time counts as dead and is skipped.

-- Lua would format a large number as 1.7e+15.
local function whole(number)
  return string.format('%.0f', number)
end

-- Joins the end of the queue, or keeps its position. The waiter counts as alive for `alive` ms, and lets others overtake for `patience` ms.
local function joinLine(id, alive, channel, request, patience)
  local last = redis.call('ZRANGE', queue, -1, -1, 'WITHSCORES')[2] or 0
  redis.call('ZADD', queue, 'NX', math.max(last + 1, micros + 1000 * (patience or 0)), id)
  redis.call('HSET', waiters, id, whole(now + alive) .. ' ' .. channel .. ' ' .. request)
  redis.call('PEXPIRE', queue, alive)
  redis.call('PEXPIRE', waiters, alive)
end

local function leaveLine(id)
  if redis.call('ZREM', queue, id) == 1 then redis.call('HDEL', waiters, id) end
end

-- Returns until when the waiter counts as alive, its channel, its request.
local function waiterOf(record)
  local alive, channel, request = string.match(record, '^(%d+) (%S+) (.*)$')
  return tonumber(alive), channel, request
end

-- Returns id, channel and request of the first live waiter. Removes the dead waiters before it.
local function firstInLine()
  while true do
    local id = redis.call('ZRANGE', queue, 0, 0)[1]
    if not id then return nil end
    local record = redis.call('HGET', waiters, id)
    if record then
      local alive, channel, request = waiterOf(record)
      if alive > now then return id, channel, request end
    end
    leaveLine(id)
  end
end
