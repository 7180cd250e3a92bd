-- Positions in a sorted set, for scripts that include this file first. The order is that of Redis: by score, then by the bytes of
-- the member. A position is exact also if many members have one score, and if the member has left the set.

-- Lua's own comparison depends on the server's locale.
local function isBefore(one, other)
  for at = 1, math.min(#one, #other) do
    local first, second = string.byte(one, at), string.byte(other, at)
    if first ~= second then return first < second end
  end
  return #one < #other
end

-- Returns how many members are before this score and member, and 1 if the member itself is there.
local function positionOf(set, score, member)
  if redis.call('ZSCORE', set, member) == score then return redis.call('ZRANK', set, member), 1 end
  local low = redis.call('ZCOUNT', set, '-inf', '(' .. score)
  local high = low + redis.call('ZCOUNT', set, score, score)
  while low < high do
    local middle = math.floor((low + high) / 2)
    if isBefore(redis.call('ZRANGE', set, middle, middle)[1], member) then low = middle + 1 else high = middle end
  end
  return low, 0
end
