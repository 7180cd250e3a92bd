-- Posts an article. Its author has voted for it.
-- KEYS  byScore, byTime, base: see ranking-state.lua; last: string, number of the last article
-- ARGV  id        empty: the next number
--       author, title, link
--       points    what a vote counts
--       window    ms for which votes are accepted
--       groups    names
-- Returns the id; empty if there is an article of this id.

if id == '' then
  repeat id = tostring(redis.call('INCR', last)) until redis.call('EXISTS', articleOf(id)) == 0
elseif redis.call('EXISTS', articleOf(id)) == 1 then
  return ''
end
redis.call('HSET', articleOf(id), 'author', author, 'title', title, 'link', link, 'posted', now, 'up', 1, 'down', 0)
saveGroups(id, groups)
redis.call('HSET', base .. 'votes:' .. id, author, 'up')
redis.call('PEXPIRE', base .. 'votes:' .. id, window)
redis.call('ZADD', byTime, now, id)
redis.call('ZADD', byScore, string.format('%.17g', now / 1000 + points), id)
for _, group in ipairs(groups) do redis.call('SADD', groupOf(group), id) end
return id
