-- Indexes a document. Most documents are new: what only an old one had is removed by replace.lua.
-- KEYS  base: see document.lua
-- ARGV  several    1 if there are several text fields
--       ranked     1 if words have an impact
--       id         of the document
--       source     its JSON
--       fields     number of values that are fields of its hash
--       words      number of words
--       postings   number of words of single fields
--       sets       number of keywords
--       values     the fields of the hash; the words, then the impact of each if there is one; the same for parts of the keys of words of a
--                  field; parts of the keys of keywords; parts of the keys of numbers and orders, each with its score
-- Returns 1 if it is new, else 0.

local document = base .. 'doc:' .. id
local old = redis.call('HGETALL', document)
local hasImpact = ranked == '1'
local firstWord = fields + 1
local firstPosting = firstWord + (hasImpact and 2 * words or words)
local firstSet = firstPosting + (hasImpact and 2 * postings or postings)

-- Most words are known already.
for start = firstWord, firstWord + words - 1, 1000 do
  local stop = math.min(start + 999, firstWord + words - 1)
  for at, known in ipairs(redis.call('ZMSCORE', base .. 'terms', unpack(values, start, stop))) do
    if not known then redis.call('ZADD', base .. 'terms', 0, values[start + at - 1]) end
  end
end

if hasImpact then
  for at = firstWord, firstWord + words - 1 do redis.call('ZADD', base .. 'words:' .. values[at], values[at + words], id) end
  for at = firstPosting, firstPosting + postings - 1 do redis.call('ZADD', base .. values[at], values[at + postings], id) end
else
  for at = firstWord, firstWord + words - 1 do redis.call('SADD', base .. 'words:' .. values[at], id) end
  for at = firstPosting, firstPosting + postings - 1 do redis.call('SADD', base .. values[at], id) end
end
for at = firstSet, firstSet + sets - 1 do redis.call('SADD', base .. values[at], id) end
for at = firstSet + sets, #values, 2 do redis.call('ZADD', base .. values[at], values[at + 1], id) end

if #old > 0 then redis.call('DEL', document) end
redis.call('HSET', document, 'source', source, unpack(values, 1, fields))
redis.call('SADD', base .. 'ids', id)
redis.call('INCR', base .. 'version')
if #old == 0 then return 1 end
