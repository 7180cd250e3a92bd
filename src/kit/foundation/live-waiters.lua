-- Counts the waiters in a queue. Read after clock.lua and waiting-line.lua.

local function liveWaiters()
  local count = 0
  for _, record in ipairs(redis.call('HVALS', waiters)) do
    if waiterOf(record) > now then count = count + 1 end
  end
  return count
end
