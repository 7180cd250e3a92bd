-- Collects sessions and deletes them together, for scripts that include this file after session-state.lua.

local keys, count = {}, 0
-- {number of sessions, id, user, …}: with the users of those that have one.
local answer = { 0 }

-- A session, with what belongs to it; `seen` as in `recent`, or false.
local function collect(id, seen)
  local record = shard .. 'record:' .. id
  count = count + 1
  keys[count] = record
  if seen and seen % 2 == 0 then
    count = count + 1
    keys[count] = shard .. 'viewed:' .. id
    answer[1] = answer[1] + 1
    return
  end
  local found = redis.call('HMGET', record, 'with', 'user')
  for _, key in ipairs(belongings(id, found[1])) do
    count = count + 1
    keys[count] = key
  end
  if seen or redis.call('EXISTS', record) == 1 then answer[1] = answer[1] + 1 end
  if found[2] then
    answer[#answer + 1] = id
    answer[#answer + 1] = found[2]
  end
end

local function unlinkCollected()
  for at = 1, count, 1000 do redis.call('UNLINK', unpack(keys, at, math.min(at + 999, count))) end
end
