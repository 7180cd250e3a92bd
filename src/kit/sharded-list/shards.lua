-- The shards of a list, for scripts that include this file first. Uses the locals `meta` and `shard`.
--   meta    hash: first and last (numbers of the outermost shards), length (elements in all), size (elements of each shard but the
--           outermost; 0 if clients have used different sizes)
--   shard   prefix of the shards' names; each name ends with its number, and each shard is a list
-- An empty list has no keys.

local found = redis.call('HMGET', meta, 'first', 'last', 'length', 'size')
local first, last, length = tonumber(found[1]) or 0, tonumber(found[2]) or 0, tonumber(found[3]) or 0
local evenSize = tonumber(found[4]) or 0

local function save()
  if length == 0 then
    redis.call('DEL', meta)
  else
    redis.call('HSET', meta, 'first', first, 'last', last, 'length', length)
  end
end

-- Takes up to `count` elements from one side, across shards if needed.
local function take(side, count)
  local taken = {}
  while count > 0 and length > 0 do
    local edge = side == 'left' and first or last
    local part = redis.call(side == 'left' and 'LPOP' or 'RPOP', shard .. edge, count)
    for _, element in ipairs(part or {}) do taken[#taken + 1] = element end
    local size = part and #part or 0
    count = count - size
    length = length - size
    if count > 0 and length > 0 then
      if side == 'left' then first = first + 1 else last = last - 1 end
    end
  end
  if length > 0 then
    -- If the last element emptied the shard, the list now begins or ends at the next one.
    if side == 'left' and redis.call('EXISTS', shard .. first) == 0 then first = first + 1 end
    if side == 'right' and redis.call('EXISTS', shard .. last) == 0 then last = last - 1 end
  end
  save()
  return taken
end
