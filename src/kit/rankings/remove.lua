-- Removes an article with its votes.
-- KEYS  byScore, byTime, base: see ranking-state.lua
-- ARGV  id
-- Returns 1 if there was one.

if redis.call('EXISTS', articleOf(id)) == 0 then return 0 end
for _, name in ipairs(groupsOf(id)) do
  redis.call('SREM', groupOf(name), id)
  redis.call('ZREM', base .. 'ranked:score:' .. name, id)
  redis.call('ZREM', base .. 'ranked:time:' .. name, id)
end
redis.call('DEL', articleOf(id), base .. 'votes:' .. id)
redis.call('ZREM', byScore, id)
redis.call('ZREM', byTime, id)
return 1
