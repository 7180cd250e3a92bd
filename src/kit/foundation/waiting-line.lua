-- A line of waiters, first come first served, for scripts that have read this file before their own.
-- Uses the locals `queue` and `waiters`, keys of the script, and gives it `now`, `micros` and the functions below.
--   queue    sorted set: id of a waiter -> its number in the line
--   waiters  hash: id -> JSON of [until when it counts as alive, channel to wake it on, what the script wants to know]
-- A waiter that does not come back in time to say that it still waits has died, and is passed over.

local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
local now = math.floor(micros / 1000)

-- Lua would write a large number as 1.7e+15.
local function whole(number)
  return string.format('%.0f', number)
end

-- Takes a place at the end, or keeps the place it has, and counts as alive for so many ms.
local function join_line(id, alive, channel, details)
  if not redis.call('ZSCORE', queue, id) then
    local last = redis.call('ZRANGE', queue, -1, -1, 'WITHSCORES')
    redis.call('ZADD', queue, (tonumber(last[2]) or 0) + 1, id)
  end
  redis.call('HSET', waiters, id, cjson.encode({ now + alive, channel, details }))
  redis.call('PEXPIRE', queue, alive)
  redis.call('PEXPIRE', waiters, alive)
end

local function leave_line(id)
  if redis.call('ZREM', queue, id) == 1 then redis.call('HDEL', waiters, id) end
end

-- The first who is alive: id, channel, details. The dead before it are gone then.
local function first_in_line()
  while true do
    local id = redis.call('ZRANGE', queue, 0, 0)[1]
    if not id then return nil end
    local record = redis.call('HGET', waiters, id)
    local fields = record and cjson.decode(record)
    if fields and fields[1] > now then return id, fields[2], fields[3] end
    leave_line(id)
  end
end
