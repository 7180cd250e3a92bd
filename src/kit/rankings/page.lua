-- Reads a page of articles.
-- KEYS  byScore, byTime, base: see ranking-state.lua
-- ARGV  order     score or time
--       group     empty: all articles
--       first     number of articles before the page
--       size      articles of a page
--       keep      ms for which the ranking of a group is kept
-- Returns {id, score, fields and values of the article, …}.

local ranking = order == 'score' and byScore or byTime
if group ~= '' then
  local all = ranking
  ranking = base .. 'ranked:' .. order .. ':' .. group
  if redis.call('EXISTS', ranking) == 0 then
    -- Members of a set have the score 1, which must not count.
    redis.call('ZINTERSTORE', ranking, 2, groupOf(group), all, 'WEIGHTS', 0, 1)
    redis.call('PEXPIRE', ranking, keep)
  end
end
local page = {}
for _, id in ipairs(redis.call('ZRANGE', ranking, first, first + size - 1, 'REV')) do
  local fields = redis.call('HGETALL', articleOf(id))
  -- A group's ranking may still have an article that was removed.
  if #fields > 0 then
    page[#page + 1] = id
    page[#page + 1] = redis.call('ZSCORE', byScore, id)
    page[#page + 1] = fields
  end
end
return page
