-- Adds an ad, or replaces it. What was learnt stays, for the words that it still has; unless its type changes.
-- KEYS  base: see ads.lua
-- ARGV  prior: see ads.lua
--       id
--       type, price, locations, words, source: see ads.lua
-- Returns 1 if it is new, else 0.

local ad, learnt = base .. 'ad:' .. id, base .. 'learnt:' .. id
local old = redis.call('HMGET', ad, 'type', 'locations', 'words')
if old[1] then
  withdraw(id, old[2], old[3])
  if old[1] ~= type then
    redis.call('DEL', learnt)
    redis.call('HSET', ad, 'views', 0, 'clicks', 0, 'actions', 0)
  else
    for word in old[3]:gmatch('[^ ]+') do
      if not words:find(' ' .. word .. ' ', 1, true) then redis.call('HDEL', learnt, 'v:' .. word, 'e:' .. word, 'b:' .. word) end
    end
  end
else
  redis.call('HSET', ad, 'views', 0, 'clicks', 0, 'actions', 0)
end
redis.call('HSET', ad, 'type', type, 'price', price, 'locations', locations, 'words', words, 'source', source)
redis.call('SADD', base .. 'ids', id)
estimate(id)
return old[1] and 0 or 1
