-- The schedule of a row cache, for scripts that include this file after clock.lua. Uses the locals `due`, `every` and `claims`.
--   due       sorted set: row → when it is refreshed next (ms); of a row that is being refreshed: when its lease ends
--   every     hash: row → ms between two refreshes
--   claims    hash: r:<row> → number of the claim of the worker that refreshes it; last → the last number

local function unschedule(row)
  redis.call('ZREM', due, row)
  redis.call('HDEL', every, row)
  redis.call('HDEL', claims, 'r:' .. row)
  if redis.call('EXISTS', every) == 0 then redis.call('DEL', claims) end
end

-- Ms until the next row is due; -1 if there is none.
local function untilNext()
  local first = redis.call('ZRANGE', due, 0, 0, 'WITHSCORES')
  if #first == 0 then return -1 end
  return math.max(0, tonumber(first[2]) - now)
end
