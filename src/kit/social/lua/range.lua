-- A page of a sorted set. Read after order.lua.
-- KEYS  set
-- ARGV  score, member   where the page before ended; score is empty for the first page
--       count           max members
--       order           up: lowest first; down: highest first
-- Returns {member, score, …}.

count = tonumber(count)
if order == 'up' then
  local from = 0
  if score ~= '' then
    local before, own = positionOf(set, score, member)
    from = before + own
  end
  return redis.call('ZRANGE', set, from, from + count - 1, 'WITHSCORES')
end
local last = -1
if score ~= '' then
  local before = positionOf(set, score, member)
  if before == 0 then return {} end
  last = before - 1
else
  last = redis.call('ZCARD', set) - 1
end
local found = redis.call('ZRANGE', set, math.max(0, last - count + 1), last, 'WITHSCORES')
local reply = {}
for at = #found - 1, 1, -2 do
  reply[#reply + 1] = found[at]
  reply[#reply + 1] = found[at + 1]
end
return reply
