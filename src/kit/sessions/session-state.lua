-- The sessions of a shard, for scripts that include this file after clock.lua. Uses the locals `recent` and `shard`.
--   recent                 sorted set: id of a session → when it was last seen (µs)
--   <shard>record:<id>     hash: user, created, ends (ms), seen (µs), idle (ms), with (names of what belongs to it),
--                          d:<field> (JSON)
--   <shard><name>:<id>     what belongs to the session: viewed, cart …
--   <shard>revoked:<id>    exists for some minutes after the session was revoked

local function recordOf(id) return shard .. 'record:' .. id end

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

-- When a session ends that is seen now, in ms.
local function endOf(ends, idle) return math.min(now + tonumber(idle), tonumber(ends)) end

-- Removes up to `max` ids from `recent` that were not seen for `idle` ms: their records have expired.
local function forgetExpired(idle, max)
  local before = string.format('(%.0f', micros - idle * 1000)
  local ids = redis.call('ZRANGE', recent, '-inf', before, 'BYSCORE', 'LIMIT', 0, max)
  if #ids > 0 then redis.call('ZREM', recent, unpack(ids)) end
  return #ids
end

-- Notes that the session is seen now. Returns when it ends without another visit (ms), and the names of what belongs to it; false if
-- there is no such session.
local function see(id)
  local record = recordOf(id)
  local found = redis.call('HMGET', record, 'ends', 'idle', 'with', 'seen')
  if not found[1] then
    redis.call('ZREM', recent, id)
    return false
  end
  local last = endOf(found[1], found[2])
  if last <= now then
    drop(id, found[3])
    return false
  end
  -- The clock may have been set back.
  local seen = string.format('%.0f', math.max(micros, tonumber(found[4])))
  redis.call('HSET', record, 'seen', seen)
  redis.call('ZADD', recent, seen, id)
  redis.call('PEXPIREAT', record, last)
  for _, key in ipairs(belongings(id, found[3])) do redis.call('PEXPIREAT', key, last) end
  return last, found[3] or ''
end

-- The key of something that belongs to a session that was just seen. After a write, give it the end of the session.
local function belonging(id, name, names)
  if not string.find(' ' .. names .. ' ', ' ' .. name .. ' ', 1, true) then
    redis.call('HSET', recordOf(id), 'with', names == '' and name or names .. ' ' .. name)
  end
  return shard .. name .. ':' .. id
end
