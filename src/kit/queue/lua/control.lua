-- Changes how workers take tasks.
-- KEYS: the keys of the queue. ARGV: verb (pause, resume, limit, unlimit, concurrency, groupLimit, wake), first and second:
-- how many ms to pause or ''; the rate limit and its ms; the max number of active tasks or ''; the same of a group and its name or ''; bound of
-- the stream of events. Returns 1 if something changed.
local changed = 0
local before = redis.call('HGET', meta, 'paused')
local wasPaused = before and (before == '1' or tonumber(before) > now)
if verb == 'pause' then
  if not wasPaused then
    changed = 1
    tell('paused', '-')
  end
  if first == '' then
    redis.call('HSET', meta, 'paused', '1')
  elseif before ~= '1' then
    redis.call('HSET', meta, 'paused', math.max(tonumber(before or 0), now + tonumber(first)))
    -- A worker must have a timer for the end.
    wakeOne()
  end
elseif verb == 'resume' then
  -- A pause may be over without a worker that has noticed it.
  changed = wasPaused and 1 or 0
  if redis.call('HDEL', meta, 'paused') == 1 then tell('resumed', '-') end
elseif verb == 'limit' then
  redis.call('HSET', meta, 'limit', first, 'per', second)
  changed = 1
elseif verb == 'unlimit' then
  changed = math.min(1, redis.call('HDEL', meta, 'limit', 'per'))
  redis.call('DEL', starts)
elseif verb == 'concurrency' or verb == 'groupLimit' then
  local field = second == '' and verb or verb .. ':' .. second
  if first == '' then redis.call('HDEL', meta, field) else redis.call('HSET', meta, field, first) end
  changed = 1
  -- Only groups with active tasks can have lost their turn.
  if verb == 'groupLimit' then
    for _, group in ipairs(redis.call('HKEYS', running)) do openLanes(group) end
  end
end
if verb == 'wake' then wakeIfAny() elseif verb ~= 'pause' then wakeIfWaiting() end
publish(bound)
return changed
