-- Indexes a document. Most documents are new: what only an old one had is removed by replace.lua.
-- KEYS  base: see document.lua
-- ARGV  several    1 if there are several text fields
--       ranked     1 if words have an impact
--       id         of the document
--       source     its JSON
--       fields     number of values that are fields of its hash
--       words      number of words
--       postings   number of words, and of words of a field
--       sets       number of keywords
--       values     the fields of the hash; parts of the keys of words and postings, each with its impact if there is one; parts of the
--                  keys of keywords; parts of the keys of numbers and orders, each with its score
-- Returns 1 if it is new, else 0.

local step = ranked == '1' and 2 or 1
local first = fields + 1
local firstSet = first + postings * step
local document = base .. 'doc:' .. id
local old = redis.call('HGETALL', document)

-- Most words are known already.
local keys, known = {}, 0
for at = first, first + words * step - 1, step do keys[#keys + 1] = base .. values[at] end
for start = 1, #keys, 1000 do
  known = known + redis.call('EXISTS', unpack(keys, start, math.min(start + 999, #keys)))
end
if known < #keys then
  for at = first, first + words * step - 1, step do redis.call('ZADD', base .. 'terms', 0, values[at]:sub(7)) end
end

if step == 2 then
  for at = first, firstSet - 1, 2 do redis.call('ZADD', base .. values[at], values[at + 1], id) end
else
  for at = first, firstSet - 1 do redis.call('SADD', base .. values[at], id) end
end
for at = firstSet, firstSet + sets - 1 do redis.call('SADD', base .. values[at], id) end
for at = firstSet + sets, #values, 2 do redis.call('ZADD', base .. values[at], values[at + 1], id) end

if #old > 0 then redis.call('DEL', document) end
redis.call('HSET', document, 'source', source, unpack(values, 1, fields))
redis.call('SADD', base .. 'ids', id)
redis.call('INCR', base .. 'version')
if #old == 0 then return 1 end
