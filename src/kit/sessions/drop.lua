-- Removes sessions, each with what belongs to it.
-- KEYS  recent, shard: see session-state.lua
-- ARGV  unseenSince   µs: a session that was seen since then stays; 0: all are removed
--       refuse        ms for which `create` may not replace the session; 0: it may
--       ids
-- Returns {id, user or '', …} of those removed, also if only their entry in `recent` was left.

local dropped = {}
unseenSince, refuse = tonumber(unseenSince), tonumber(refuse)
for _, id in ipairs(ids) do
  local found = redis.call('HMGET', recordOf(id), 'seen', 'with', 'user')
  local isBack = unseenSince > 0 and found[1] and tonumber(found[1]) >= unseenSince
  if not isBack then
    if refuse > 0 then redis.call('SET', shard .. 'revoked:' .. id, 1, 'PX', refuse) end
    if found[1] or redis.call('ZSCORE', recent, id) then
      dropped[#dropped + 1] = id
      dropped[#dropped + 1] = found[3] or ''
    end
    drop(id, found[2])
  end
end
return dropped
