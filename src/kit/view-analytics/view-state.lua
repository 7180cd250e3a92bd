-- A ranking by views, for scripts that include this file after clock.lua. Uses the locals `views`, `meta` and `period`.
--   views   sorted set: item → score
--   meta    hash: base (the period in which a view counts 1), next (the base that scores are being moved to), period (of the last trim)
--
-- Halving all scores at the end of each period would stop the server. Instead a new view counts twice as much as one of the period
-- before: the order is the same, and a score divided by the weight of one view is the number of views.
--
-- Doubles end at 2^1023. So every 900 periods scores move to a later base, some with each call, those with the fewest views first: all
-- that have moved are then below all that have not, and the order stays right on the way. Scores that have not moved are above SPLIT,
-- since items with fewer than 2^-60 views are dropped, and those that have moved are below it.

local SPLIT = 2 ^ 500

local stored = redis.call('HMGET', meta, 'base', 'next', 'period')
local base, following, trimmed = tonumber(stored[1]), tonumber(stored[2]), tonumber(stored[3])
-- The clock may have been set back.
local current = math.max(math.floor(now / period), following or base or 0)

local function text(number) return string.format('%.17g', number) end

-- How many views a score stands for.
local function viewsOf(score)
  score = tonumber(score)
  return score / 2 ^ (current - ((following and score < SPLIT) and following or base))
end
