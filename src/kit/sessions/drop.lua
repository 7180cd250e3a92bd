-- Removes sessions, each with what belongs to it.
-- KEYS  recent, shard: see session-state.lua
-- ARGV  unseenSince   µs: a session that was seen since then stays; 0: all are removed
--       refuse        ms for which `create` may not replace the session; 0: it may
--       ids           at most 1,000
-- Returns {number of sessions removed, id, user, …}: with the users of those that have one. An entry in `recent` that was left alone counts.

unseenSince, refuse = tonumber(unseenSince), tonumber(refuse)
local keys, count, gone, removed, answer = {}, 0, {}, 0, { 0 }
for at, seen in ipairs(redis.call('ZMSCORE', recent, unpack(ids))) do
  local id = ids[at]
  seen = tonumber(seen)
  local isBack = unseenSince > 0 and seen and seen >= unseenSince
  if not isBack then
    local record = shard .. 'record:' .. id
    count = count + 1
    keys[count] = record
    if seen and seen % 2 == 0 then
      count = count + 1
      keys[count] = shard .. 'viewed:' .. id
      removed = removed + 1
    else
      local found = redis.call('HMGET', record, 'with', 'user')
      for _, key in ipairs(belongings(id, found[1])) do
        count = count + 1
        keys[count] = key
      end
      if seen or redis.call('EXISTS', record) == 1 then removed = removed + 1 end
      if found[2] then
        answer[#answer + 1] = id
        answer[#answer + 1] = found[2]
      end
    end
    gone[#gone + 1] = id
    if refuse > 0 then redis.call('SET', shard .. 'revoked:' .. id, 1, 'PX', refuse) end
  end
end
for at = 1, count, 1000 do redis.call('UNLINK', unpack(keys, at, math.min(at + 999, count))) end
if #gone > 0 then redis.call('ZREM', recent, unpack(gone)) end
answer[1] = removed
return answer
