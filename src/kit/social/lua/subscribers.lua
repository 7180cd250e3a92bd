-- The next feeds that get a status, or lose it. Read after clock.lua and order.lua.
-- KEYS  status (prefix), pending, subscribers: followers or listed
-- ARGV  number          of the status; if it is empty: by its token
--       token           of the call that posted it
--       score, member   where the pass before ended; score is empty for the first pass
--       count           max feeds
-- Returns {time in ms, number or empty if it was never posted, 1 if the status exists or 0, feed, score, …}.

if number == '' then number = redis.call('HGET', pending, token) or '' end
if number == '' then return { now, '', 0 } end
local reply = { now, number, redis.call('EXISTS', status .. ':' .. number) }
local from = 0
if score ~= '' then
  local before, own = positionOf(subscribers, score, member)
  from = before + own
end
for _, part in ipairs(redis.call('ZRANGE', subscribers, from, from + count - 1, 'WITHSCORES')) do reply[#reply + 1] = part end
return reply
