-- Indexes new documents together: a word that several of them have takes one command, and most of the time of a script is spent on its
-- commands. Does nothing if one of them is indexed already.
-- KEYS  base: see document.lua
-- ARGV  values   in one list, because the rest of several would be copied:
--                1 if words have an impact; number of documents, at most 1,000; of words; of other keys that are sorted sets;
--                of each document: id, JSON, number of values that are fields of its hash, these fields;
--                of each key: the word, or for other keys a part of the key; the number of values, these values: ids, of a sorted set a
--                score before each. First come the words, then other sorted sets, then sets
-- Returns 1; 0 if one is indexed already.

local addWord = values[1] == '1' and 'ZADD' or 'SADD'
local documents, words, scored = tonumber(values[2]), tonumber(values[3]), tonumber(values[4])

local keys, ids, at = {}, {}, 5
for document = 1, documents do
  ids[document] = values[at]
  keys[document] = base .. 'doc:' .. values[at]
  at = at + 3 + values[at + 2]
end
if redis.call('EXISTS', unpack(keys)) > 0 then return 0 end

at = 5
for document = 1, documents do
  local last = at + 2 + values[at + 2]
  redis.call('HSET', keys[document], 'source', values[at + 1], unpack(values, at + 3, last))
  at = last + 1
end
redis.call('SADD', base .. 'ids', unpack(ids))

-- Adds the values of the next key, whose name begins with `head`.
local function add(command, head)
  local last = at + 1 + values[at + 1]
  redis.call(command, head .. values[at], unpack(values, at + 2, last))
  at = last + 1
end

local names = {}
for word = 1, words do
  names[word] = values[at]
  add(addWord, base .. 'words:')
end
for _ = 1, scored do add('ZADD', base) end
while values[at] do add('SADD', base) end

-- Most words are known already.
for start = 1, #names, 1000 do
  local stop = math.min(start + 999, #names)
  for place, known in ipairs(redis.call('ZMSCORE', base .. 'terms', unpack(names, start, stop))) do
    if not known then redis.call('ZADD', base .. 'terms', 0, names[start + place - 1]) end
  end
end
redis.call('INCR', base .. 'version')
return 1
