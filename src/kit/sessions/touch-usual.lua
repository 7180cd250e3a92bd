-- The usual visit, before the functions of session-state.lua are made: most of the time of a short script is spent on making them. Leaves
-- a session that has ended, or whose first item this is, to touch.lua. Keys and arguments: see there.

local fields = redis.call('HGETALL', shard .. 'record:' .. id)
local ends, idle, names, seenAt
for at = 1, #fields, 2 do
  local field = fields[at]
  if field == 'ends' then
    ends = tonumber(fields[at + 1])
  elseif field == 'idle' then
    idle = tonumber(fields[at + 1])
  elseif field == 'with' then
    names = fields[at + 1]
  elseif field == 'seen' then
    seenAt = at + 1
  end
end
local last = ends and math.min(now + idle, ends) or 0
if last > now and (hasItem == '0' or (names and string.find(' ' .. names .. ' ', ' viewed ', 1, true))) then
  local seen = string.format('%.0f', math.max(micros, tonumber(fields[seenAt])))
  redis.call('HSET', shard .. 'record:' .. id, 'seen', seen)
  redis.call('ZADD', recent, seen, id)
  redis.call('PEXPIREAT', shard .. 'record:' .. id, last)
  if hasItem == '1' then
    local viewed = shard .. 'viewed:' .. id
    if redis.call('ZADD', viewed, seen, item) == 1 then redis.call('ZREMRANGEBYRANK', viewed, 0, -1 - kept) end
  end
  if names then
    for name in string.gmatch(names, '%S+') do redis.call('PEXPIREAT', shard .. name .. ':' .. id, last) end
  end
  fields[seenAt] = seen
  return fields
end
