-- Removes sessions, each with what belongs to it.
-- KEYS  recent, shard: see session-state.lua
-- ARGV  unseenSince   µs: a session that was seen since then stays; 0: all are removed
--       refuse        ms for which `create` may not replace the session; 0: it may
--       ids           at most 1,000
-- Returns {number of sessions removed, id, user, …}: with the users of those that have one. An entry in `recent` that was left alone counts.

unseenSince, refuse = tonumber(unseenSince), tonumber(refuse)
local seen = redis.call('ZMSCORE', recent, unpack(ids))
local keys, gone, answer, count = {}, {}, { 0 }, 0
for at, id in ipairs(ids) do
  local isBack = unseenSince > 0 and seen[at] and tonumber(seen[at]) >= unseenSince
  if not isBack then
    local record = shard .. 'record:' .. id
    local found = redis.call('HMGET', record, 'with', 'user')
    count = count + 1
    keys[count] = record
    local names = found[1]
    if names and string.find(names, ' ', 1, true) then
      for _, key in ipairs(belongings(id, names)) do
        count = count + 1
        keys[count] = key
      end
    elseif names then
      count = count + 1
      keys[count] = shard .. names .. ':' .. id
    end
    gone[#gone + 1] = id
    if refuse > 0 then redis.call('SET', shard .. 'revoked:' .. id, 1, 'PX', refuse) end
    if seen[at] or redis.call('EXISTS', record) == 1 then answer[1] = answer[1] + 1 end
    if found[2] then
      answer[#answer + 1] = id
      answer[#answer + 1] = found[2]
    end
  end
end
for at = 1, count, 1000 do redis.call('UNLINK', unpack(keys, at, math.min(at + 999, count))) end
if #gone > 0 then redis.call('ZREM', recent, unpack(gone)) end
return answer
