-- The sessions of a shard, for scripts that include this file after clock.lua. Uses the locals `recent` and `shard`.
--   recent                 sorted set: id of a session → when it was last seen (µs). The time is even if the session has no user and nothing
--                          but viewed items: then it can be removed without reading its record, which takes longer than the rest
--   <shard>record:<id>     hash: user, created, ends (ms), idle (ms), until (ms: when its keys expire), with (names of what belongs to
--                          it), d:<field> (JSON)
--   <shard><name>:<id>     what belongs to the session: viewed, cart …
--   <shard>revoked:<id>    exists for some minutes after the session was revoked
-- Times to live are extended seldom, since that takes longer than the rest of a visit: the keys expire up to `slackOf` ms late.

local function recordOf(id) return shard .. 'record:' .. id end

-- The time of a visit now, as `recent` has it.
local function seenNow(hasMore) return string.format('%.0f', micros - micros % 2 + (hasMore and 1 or 0)) end

local function slackOf(idle) return math.min(math.floor(idle / 1024), 60000) end

-- The keys of what belongs to a session; `names` as in its record.
local function belongings(id, names)
  local keys = {}
  for name in string.gmatch(names or '', '%S+') do keys[#keys + 1] = shard .. name .. ':' .. id end
  return keys
end

local function drop(id, names)
  local keys = belongings(id, names)
  keys[#keys + 1] = recordOf(id)
  redis.call('UNLINK', unpack(keys))
  redis.call('ZREM', recent, id)
end

-- Removes up to `max` ids from `recent` that were not seen for `idle` ms: their records have expired.
local function forgetExpired(idle, max)
  local before = string.format('(%.0f', micros - (idle + slackOf(idle)) * 1000)
  local ids = redis.call('ZRANGE', recent, '-inf', before, 'BYSCORE', 'LIMIT', 0, max)
  if #ids > 0 then redis.call('ZREM', recent, unpack(ids)) end
  return #ids
end

-- Notes that the session is seen now. Returns when its keys expire without another visit (ms), and the names of what belongs to it; false
-- if there is no such session.
local function see(id)
  local record = recordOf(id)
  local found = redis.call('HMGET', record, 'ends', 'idle', 'with', 'until', 'user')
  if not found[1] then
    redis.call('ZREM', recent, id)
    return false
  end
  local ends, idle, last = tonumber(found[1]), tonumber(found[2]), tonumber(found[4]) or 0
  if ends <= now then
    drop(id, found[3])
    return false
  end
  -- The clock may have been set back.
  redis.call('ZADD', recent, 'GT', seenNow(found[5] or (found[3] and found[3] ~= 'viewed')), id)
  if math.min(now + idle, ends) > last then
    last = math.min(now + idle + slackOf(idle), ends)
    redis.call('HSET', record, 'until', last)
    redis.call('PEXPIREAT', record, last)
    for _, key in ipairs(belongings(id, found[3])) do redis.call('PEXPIREAT', key, last) end
  end
  return last, found[3] or ''
end

-- The key of something that belongs to a session that was just seen. After a write, give it the time to live of the session.
local function belonging(id, name, names)
  if not string.find(' ' .. names .. ' ', ' ' .. name .. ' ', 1, true) then
    redis.call('HSET', recordOf(id), 'with', names == '' and name or names .. ' ' .. name)
    local seen = redis.call('ZSCORE', recent, id)
    if name ~= 'viewed' and seen % 2 == 0 then redis.call('ZADD', recent, string.format('%.0f', seen + 1), id) end
  end
  return shard .. name .. ':' .. id
end

-- The record of a session that was just seen, as {field, value, …}, with the field `seen`.
local function seenRecord(id)
  local fields = redis.call('HGETALL', recordOf(id))
  fields[#fields + 1] = 'seen'
  fields[#fields + 1] = string.format('%.0f', micros)
  return fields
end
