-- Adds tasks without special options. Most tasks are of this kind, so this script is short. Their ids are consecutive.
-- KEYS: the keys of the queue that this script uses.
-- ARGV: call      number of the call, or '' to keep no receipt
--       sender    name of the caller
--       bound     approximate max entries in the stream of events
--       renews    '1' to extend the expiry of the events, as in shared.lua
--       records   of the tasks
-- Returns the first id.
local clock = redis.call('TIME')
local known = redis.call('HMGET', meta, 'last', 'receipt:' .. sender)
local last, receipt = known[1], known[2]
if call ~= '' then
  if not receipt then
    tidyReceipts(tonumber(clock[1]) * 1000000 + tonumber(clock[2]))
  elseif string.sub(receipt, 1, #call + 1) == call .. ' ' then
    return string.sub(receipt, #call + 2)
  end
end

-- Ids are made as by newId in shared.lua. All have 16 digits, so comparing them as strings is the same as comparing numbers.
local first = string.format('%010d%06d', clock[1], clock[2])
if last and first <= last then first = string.format('%016d', last + 1) end
local newest = first

if #records == 1 then
  redis.call('HSET', tasks, first, records[1])
  redis.call('RPUSH', waiting, first)
  if bound ~= '0' then redis.call('XADD', events, 'MAXLEN', '~', bound, '*', 'told', 'added ' .. first) end
else
  local ids, fields, before = {}, {}, tonumber(first) - 1
  for i = 1, #records do
    newest = string.format('%016d', before + i)
    ids[i] = newest
    fields[i * 2 - 1] = newest
    fields[i * 2] = records[i]
  end
  redis.call('HSET', tasks, unpack(fields))
  redis.call('RPUSH', waiting, unpack(ids))
  if bound ~= '0' then
    redis.call('XADD', events, 'MAXLEN', '~', bound, '*', 'told', 'added ' .. table.concat(ids, '\nadded '))
  end
end

if renews == '1' and bound ~= '0' then redis.call('PEXPIRE', events, 86400000) end

if call == '' then
  redis.call('HSET', meta, 'last', newest)
else
  redis.call('HSET', meta, 'last', newest, 'receipt:' .. sender, call .. ' ' .. first)
end
if redis.call('EXISTS', wake) == 0 then redis.call('RPUSH', wake, '1') end
return first
