-- The fast path to permits, before the code for other cases is loaded: enough are free and there is no waiter.
-- Read after clock.lua; for KEYS and ARGV see acquire.lua.

redis.call('ZREMRANGEBYSCORE', permits, '-inf', now)
if redis.call('EXISTS', queue) == 0 then
  local most = redis.call('GET', limit) or defaultLimit
  if redis.call('ZCARD', permits) + count <= tonumber(most) then
    for number = 1, tonumber(count) do redis.call('ZADD', permits, now + lease, id .. ' ' .. number) end
    if redis.call('PTTL', permits) < tonumber(lease) then redis.call('PEXPIRE', permits, lease) end
    return { 1 }
  end
end
