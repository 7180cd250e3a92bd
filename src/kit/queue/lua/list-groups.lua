-- Lists the lanes of waiting tasks: kind and group, in the order of both. Jumps from lane to lane. Included after groups.lua.
-- KEYS: the keys of the queue. ARGV: after: the lane after which to begin (kind, NUL, group), or ''; limit: max lanes.
-- Returns five per lane: kind, group, waiting tasks, active tasks of the group, its limit or ''.
local found, lane = {}, after
local fallback = redis.call('HGET', meta, 'groupLimit') or ''
for _ = 1, tonumber(limit) do
  local from = lane == '' and '-' or '(' .. lane .. '\0:'
  local member = redis.call('ZRANGEBYLEX', grouped, from, '+', 'LIMIT', 0, 1)[1]
  if not member then break end
  local kind, group = string.match(member, '^(.-)%z(.-)%z')
  lane = kind .. '\0' .. group
  found[#found + 1] = kind
  found[#found + 1] = group
  found[#found + 1] = redis.call('ZLEXCOUNT', grouped, '[' .. lane .. '\0', '(' .. lane .. '\0:')
  found[#found + 1] = tonumber(redis.call('HGET', running, group) or 0)
  found[#found + 1] = redis.call('HGET', meta, 'groupLimit:' .. group) or fallback
end
return found
