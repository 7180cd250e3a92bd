-- Removes sessions, each with what belongs to it.
-- KEYS  recent, shard: see session-state.lua
-- ARGV  unseenSince   µs: a session that was seen since then stays; 0: all are removed
--       refuse        ms for which `create` may not replace the session; 0: it may
--       ids           at most 1,000
-- Returns {number of sessions removed, id, user, …}: with the users of those that have one. An entry in `recent` that was left alone counts.

unseenSince, refuse = tonumber(unseenSince), tonumber(refuse)
local gone = {}
for at, seen in ipairs(redis.call('ZMSCORE', recent, unpack(ids))) do
  local id = ids[at]
  local isBack = unseenSince > 0 and seen and tonumber(seen) >= unseenSince
  if not isBack then
    collect(id, seen)
    gone[#gone + 1] = id
    if refuse > 0 then redis.call('SET', shard .. 'revoked:' .. id, 1, 'PX', refuse) end
  end
end
unlinkCollected()
if #gone > 0 then redis.call('ZREM', recent, unpack(gone)) end
return answer
