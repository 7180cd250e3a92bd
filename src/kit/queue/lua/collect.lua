-- Returns messages of the outbox that are due, for delivery. Until they are acknowledged they become due again.
-- KEYS: the keys of the queue. ARGV: again: after how many ms, limit.
-- Returns two per message: number and text.
local messages = {}
for _, number in ipairs(redis.call('ZRANGEBYSCORE', blocked .. ':due', '-inf', now, 'LIMIT', 0, limit)) do
  redis.call('ZADD', blocked .. ':due', now + tonumber(again), number)
  messages[#messages + 1] = number
  messages[#messages + 1] = redis.call('HGET', blocked .. ':out', number) or ''
end
return messages
