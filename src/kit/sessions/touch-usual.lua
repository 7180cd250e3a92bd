-- The usual visit, before the functions of session-state.lua are made: most of the time of a short script is spent on making them. Leaves
-- to touch.lua: a session that does not exist, whose times to live have to be extended, or whose first item this is. Keys and
-- arguments: see there.

local fields = redis.call('HGETALL', shard .. 'record:' .. id)
local idle, names, last, user
for at = 1, #fields, 2 do
  local field = fields[at]
  if field == 'idle' then
    idle = fields[at + 1]
  elseif field == 'with' then
    names = fields[at + 1]
  elseif field == 'until' then
    last = tonumber(fields[at + 1])
  elseif field == 'user' then
    user = fields[at + 1]
  end
end
if last and now + idle <= last and (hasItem == '0' or (names and string.find(' ' .. names .. ' ', ' viewed ', 1, true))) then
  local hasMore = user or (names and names ~= 'viewed')
  local seen = string.format('%.0f', micros - micros % 2 + (hasMore and 1 or 0))
  redis.call('ZADD', recent, 'GT', seen, id)
  if hasItem == '1' then
    local viewed = shard .. 'viewed:' .. id
    if redis.call('ZADD', viewed, seen, item) == 1 and redis.call('ZREMRANGEBYRANK', viewed, 0, -1 - kept) == 0 then
      -- It may be new: the server may have evicted it.
      redis.call('PEXPIREAT', viewed, last)
    end
  end
  fields[#fields + 1] = 'seen'
  fields[#fields + 1] = seen
  return fields
end
