-- Reads an article.
-- KEYS  byScore, byTime, base: see ranking-state.lua
-- ARGV  id
-- Returns {id, score, its fields and values}; empty if it is unknown.

local fields = redis.call('HGETALL', articleOf(id))
if #fields == 0 then return {} end
return { id, redis.call('ZSCORE', byScore, id), fields }
