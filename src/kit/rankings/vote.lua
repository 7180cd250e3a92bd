-- Votes for or against an article.
-- KEYS  byScore, byTime, base: see ranking-state.lua
-- ARGV  id
--       user
--       choice    up or down
--       points    what a vote counts
--       window    ms for which votes are accepted
-- Returns counted, changed, repeated, late or unknown.

local posted = redis.call('HGET', articleOf(id), 'posted')
if not posted then return 'unknown' end
if now >= posted + window then return 'late' end
local votes = base .. 'votes:' .. id
local before = redis.call('HGET', votes, user)
if before == choice then return 'repeated' end
redis.call('HSET', votes, user, choice)
redis.call('PEXPIREAT', votes, posted + window)
redis.call('HINCRBY', articleOf(id), choice, 1)
if before then redis.call('HINCRBY', articleOf(id), before, -1) end
local difference = (choice == 'up' and points or -points) * (before and 2 or 1)
redis.call('ZINCRBY', byScore, string.format('%.17g', difference), id)
return before and 'changed' or 'counted'
