-- Indexes a document, or replaces it: what only the old one had is removed.
-- KEYS  base: see document.lua
-- ARGV  several   1 if there are several text fields
--       ranked    1 if words have an impact
--       k1, b     parameters of the ranking (BM25)
--       average   number of words of an average document
--       id        of the document
--       source    its JSON
--       entries   for each indexed field: t (text), k (keywords), n (number) or o (order), its name, its value, its weight
-- Returns 1 if it is new, else 0.

local oldEntries, oldSource = indexedEntries(id)
local words, sets, scores, length = postingsOf(entries)
local oldWords, oldSets, oldScores = {}, {}, {}
if oldEntries then
  oldWords, oldSets, oldScores = postingsOf(oldEntries)
  dropAll(id, oldWords, words, oldSets, sets, oldScores, scores)
end

local added = {}
for part in pairs(words) do
  if not oldWords[part] and part:sub(1, 6) == 'words:' then added[#added + 1] = base .. part end
end
-- Most words are known already.
if #added > 0 and callWith(added, 'EXISTS') < #added then
  for _, key in ipairs(added) do redis.call('ZADD', base .. 'terms', 0, key:sub(#base + 7)) end
end

if ranked then
  local norm = k1 * (1 - b + b * length / average)
  for part, frequency in pairs(words) do
    redis.call('ZADD', base .. part, frequency * (k1 + 1) / (frequency + norm), id)
  end
else
  for part in pairs(words) do
    if not oldWords[part] then redis.call('SADD', base .. part, id) end
  end
end
for part in pairs(sets) do
  if not oldSets[part] then redis.call('SADD', base .. part, id) end
end
for part, score in pairs(scores) do redis.call('ZADD', base .. part, score, id) end

local document = { 'source', source }
for at = 1, #entries, 4 do
  document[#document + 1] = entries[at] .. ':' .. entries[at + 1]
  document[#document + 1] = entries[at + 2]
end
if oldEntries then redis.call('DEL', base .. 'doc:' .. id) end
redis.call('HSET', base .. 'doc:' .. id, unpack(document))
redis.call('SADD', base .. 'ids', id)
redis.call('INCR', base .. 'version')
return oldEntries and 0 or 1
