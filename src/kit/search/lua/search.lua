-- Searches, caches the result, and reads a page of it.
-- KEYS  base: see document.lua
-- ARGV  several, ranked: see document.lua
--       query    JSON: groups (lists of conditions), unwanted (conditions), texts (names of the text fields), relevance (weight of the
--                ranking, negative: best first), sort (lists of key and weight). A condition is {word, field, word}, {prefix, field, start},
--                {phrase, field, word …}, {set, key}, {range, field, min, max}; field is empty for any
--       offset   how many documents to skip
--       limit    max number of documents
--       keep     how long to keep the result, in ms
--       relevance   weight of the ranking, as in the query
--       words    the number of words, if the query has nothing else and there are no facets; 0 otherwise
--       facets   the number of facets
--       parts    parts of the keys of the words, then those of the order, each with its weight; or, if `words` is 0, the names of keyword
--                fields whose values are counted
-- Returns {digest, total, {id, score, JSON, …}, {value, count, …} for each facet}; {prefix} if more than
-- 1,000 words begin with this prefix.

if not isCached then
  local inputs = matches()
  if tooWide then return { tooWide } end
  if inputs then storeSorted(inputs, result) end
  callWith(temporaries, 'DEL')
  redis.call('PEXPIRE', result, keep)
end

local reply = { digest, redis.call('ZCARD', result), pageOf(result, tonumber(offset), tonumber(limit)) }
for at = 1, facets do
  local field = parts[at]
  local counts = {}
  for start = 0, reply[2] - 1, 1000 do
    for _, id in ipairs(redis.call('ZRANGE', result, start, start + 999)) do
      local values = redis.call('HGET', base .. 'doc:' .. id, 'k:' .. field)
      if values then
        for value in values:gmatch('[^%z]+') do counts[value] = (counts[value] or 0) + 1 end
      end
    end
  end
  local list = {}
  for value, count in pairs(counts) do
    list[#list + 1] = value
    list[#list + 1] = count
  end
  reply[#reply + 1] = list
end
return reply
