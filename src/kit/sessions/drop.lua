-- Removes sessions, each with what belongs to it.
-- KEYS  recent, shard: see session-state.lua
-- ARGV  unseenSince   µs: a session that was seen since then stays; 0: all are removed
--       refuse        ms for which `create` may not replace the session; 0: it may
--       ids           at most 1,000
-- Returns {number of sessions removed, id, user, …}: with the users of those that have one. If `create` is not
-- refused, an entry in `recent` that was left alone counts.

unseenSince, refuse = tonumber(unseenSince), tonumber(refuse)
local gone = {}
for at, seen in ipairs(redis.call('ZMSCORE', recent, unpack(ids))) do
  local id = ids[at]
  local isBack = unseenSince > 0 and seen and tonumber(seen) >= unseenSince
  if not isBack then
    -- It may have ended by itself.
    local isGone = refuse > 0 and seen and redis.call('EXISTS', shard .. 'record:' .. id) == 0
    collect(id, seen)
    if isGone then answer[1] = answer[1] - 1 end
    gone[#gone + 1] = id
    if refuse > 0 then redis.call('SET', shard .. 'revoked:' .. id, 1, 'PX', refuse) end
  end
end
unlinkCollected()
if #gone > 0 then redis.call('ZREM', recent, unpack(gone)) end
return answer
