-- Counts views. Halving every score at the end of each period would touch all of them. Instead a new view counts twice as much as
-- one of the period before: the order is the same, and a score divided by the weight of one view is the number of views.
-- KEYS  views     sorted set: item → score
--       meta      hash: base (the period in which a view counts 1), period (of the last trim)
-- ARGV  period    ms after which views count half
--       max       how many items are kept
--       counted   item, number of views, …

period, max = tonumber(period), tonumber(max)
local current = math.floor(now / period)
local base = tonumber(redis.call('HGET', meta, 'base'))
local trimmed = tonumber(redis.call('HGET', meta, 'period'))
if not base then
  base, trimmed = current, current
  redis.call('HSET', meta, 'base', base, 'period', current)
end

-- Doubles end at 2^1023: from time to time the base moves. Items without a view for 60 periods are forgotten before.
if current - base >= 900 then
  redis.call('ZREMRANGEBYSCORE', views, '-inf', string.format('%.17g', 2 ^ math.min(1000, current - base - 60)))
  redis.call('ZUNIONSTORE', views, 1, views, 'WEIGHTS', string.format('%.17g', 2 ^ math.max(-1000, base - current)))
  base = current
  redis.call('HSET', meta, 'base', base)
end

-- The clock may have been set back.
local weight = 2 ^ math.max(0, current - base)
for at = 1, #counted, 2 do
  redis.call('ZINCRBY', views, string.format('%.17g', counted[at + 1] * weight), counted[at])
end

-- New items get the rest of the period to rise. Between two trims the number of items is bounded, too.
if current > trimmed or redis.call('ZCARD', views) > 2 * max then
  redis.call('ZREMRANGEBYRANK', views, 0, -1 - max)
  redis.call('HSET', meta, 'period', math.max(trimmed, current))
end

-- After 64 periods without a view nothing is left to rank.
redis.call('PEXPIRE', views, 64 * period)
redis.call('PEXPIRE', meta, 64 * period)
return 0
