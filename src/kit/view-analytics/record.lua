-- Counts views.
-- KEYS  views, meta: see view-state.lua
-- ARGV  period    ms after which views count half
--       max       how many items are kept
--       counted   item, number of views, …

max = tonumber(max)
if not base then
  base, trimmed = current, current
  redis.call('HSET', meta, 'base', base, 'period', current)
end

-- Moves up to `count` scores to the next base.
local function move(count)
  local found = redis.call('ZRANGE', views, text(SPLIT), '+inf', 'BYSCORE', 'LIMIT', 0, count, 'WITHSCORES')
  for at = 1, #found, 2 do redis.call('ZADD', views, text(found[at + 1] * 2 ^ (base - following)), found[at]) end
  if #found > 0 then return end
  base, following = following, nil
  redis.call('HSET', meta, 'base', base)
  redis.call('HDEL', meta, 'next')
end

if not following and current - base >= 900 then
  redis.call('ZREMRANGEBYSCORE', views, '-inf', '(' .. text(2 ^ (math.min(current - base, 1000) - 60)))
  following = current
  redis.call('HSET', meta, 'next', following)
end
if following then move(100) end
-- There were hardly any calls for a long time.
while following and current - base >= 1000 do move(1000) end

local function count(item, number)
  if not following then
    redis.call('ZINCRBY', views, text(number * 2 ^ (current - base)), item)
    return
  end
  local score = tonumber(redis.call('ZSCORE', views, item)) or 0
  if score < SPLIT then score = score * 2 ^ (following - base) end
  score = score + number * 2 ^ (current - base)
  -- Below all scores that have not moved, it belongs to those that have.
  local first = redis.call('ZRANGE', views, text(SPLIT), '+inf', 'BYSCORE', 'LIMIT', 0, 1, 'WITHSCORES')
  if #first == 0 or score < tonumber(first[2]) then score = score * 2 ^ (base - following) end
  redis.call('ZADD', views, text(score), item)
end
for at = 1, #counted, 2 do count(counted[at], tonumber(counted[at + 1])) end

-- New items get the rest of the period to rise. Between two trims the number of items is bounded, too.
if current > trimmed or redis.call('ZCARD', views) > 2 * max then
  redis.call('ZREMRANGEBYRANK', views, 0, -1 - max)
  if not following and current - base > 60 then
    redis.call('ZREMRANGEBYSCORE', views, '-inf', '(' .. text(2 ^ (current - base - 60)))
  end
  redis.call('HSET', meta, 'period', current)
end

-- After 64 periods without a view nothing is left to rank.
redis.call('PEXPIRE', views, 64 * period)
redis.call('PEXPIRE', meta, 64 * period)
return 0
