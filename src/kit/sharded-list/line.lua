-- Wakes waiters when there are elements. Read after waiting-line.lua and shards.lua.

-- Wakes the first `count` waiters; each then claims an element.
local function wakeLine(count)
  if count == 0 or not firstInLine() then return end
  for _, id in ipairs(redis.call('ZRANGE', queue, 0, count - 1)) do
    local record = redis.call('HGET', waiters, id)
    if record then
      local _, channel = waiterOf(record)
      redis.call('PUBLISH', channel, id)
    end
  end
end
