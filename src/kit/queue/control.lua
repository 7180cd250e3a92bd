-- Changes how workers take tasks.
-- KEYS: the keys of the queue. ARGV: verb (pause, resume, limit, unlimit, wake), limit and per: the rate limit, bound of the
-- stream of events. Returns 1 if something changed.
local changed = 0
if verb == 'pause' then
  changed = redis.call('HSETNX', meta, 'paused', '1')
  if changed == 1 then tell('paused', '-') end
elseif verb == 'resume' then
  changed = redis.call('HDEL', meta, 'paused')
  if changed == 1 then tell('resumed', '-') end
elseif verb == 'limit' then
  redis.call('HSET', meta, 'limit', limit, 'per', per)
  changed = 1
elseif verb == 'unlimit' then
  changed = math.min(1, redis.call('HDEL', meta, 'limit', 'per'))
  redis.call('DEL', starts)
end
if verb == 'wake' then wakeIfAny() elseif verb ~= 'pause' then wakeIfWaiting() end
publish(bound)
return changed
