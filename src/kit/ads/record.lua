-- Records a click or an action that followed a view: once for each target.
-- KEYS  base: see ads.lua
-- ARGV  prior: see ads.lua
--       target   id of the target
--       event    clicks or actions
--       keep     how long an action may follow a click, in ms
-- Returns 1 if it was recorded; 0 if it was recorded before, the target has expired, or its ad is gone.

local key = base .. 'target:' .. target
local found = redis.call('HMGET', key, 'ad', 'words', event)
if not found[1] or found[3] then return 0 end
local id = found[1]
local ad, learnt = base .. 'ad:' .. id, base .. 'learnt:' .. id
local kind = redis.call('HGET', ad, 'type')
if not kind then return 0 end
redis.call('HSET', key, event, 1)
redis.call('PEXPIRE', key, keep)
redis.call('HINCRBY', ad, event, 1)
if EVENT[kind] == event then
  redis.call('HINCRBY', base .. 'totals', kind .. ':events', 1)
  for word in found[2]:gmatch('[^ ]+') do
    -- The ad may have been replaced since, without this word.
    if redis.call('HEXISTS', learnt, 'v:' .. word) == 1 then redis.call('HINCRBY', learnt, 'e:' .. word, 1) end
  end
  estimate(id)
end
return 1
