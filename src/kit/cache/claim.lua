-- Reads an entry, or makes the caller its producer, or lets it wait for the producer.
-- KEYS  entry, producer, waiters: see entry-state.lua
-- ARGV  id         of the caller
--       attempt    counted from 1
--       channel    where to wake it; empty: it does not wait
--       lease      of a producer, in ms
--       alive      ms for which a waiter counts as alive
--       force      1: become the producer in any case
-- Returns {kind, body, ms, tags}: kind is
--   fresh    the body, and for how long it is fresh
--   stale    the body; another client produces a new one
--   refresh  the stale body; the caller is to produce a new one
--   produce  there is no body; the caller is to produce it
--   wait     there is no body; another client produces it, with this many ms left of its lease

local found = redis.call('HMGET', entry, 'body', 'fresh', 'tags')
if found[1] and force == '0' then
  local left = tonumber(found[2]) - now
  if left > 0 then return { 'fresh', found[1], left, found[3] } end
end
local holder = redis.call('GET', producer)
if not holder or holder == id or force == '1' then
  redis.call('SET', producer, id, 'PX', lease)
  if found[1] then return { 'refresh', found[1], 0, found[3] } end
  return { 'produce', '', 0, '' }
end
if found[1] then return { 'stale', found[1], 0, found[3] } end
if channel ~= '' then
  redis.call('HSET', waiters, id, attempt .. ' ' .. channel)
  redis.call('PEXPIRE', waiters, alive)
end
return { 'wait', '', redis.call('PTTL', producer), '' }
