-- The structures of an index, for scripts that include this file first. Uses the locals `base`, `several` and `ranked`.
--   base             what all keys of the index begin with:
--   ids              set: the ids of all documents
--   version          number of changes; a cached result belongs to one version
--   terms            sorted set, all scores 0: all words
--   words:WORD       set: documents with this word; with ranking a sorted set, its score is the impact of the word in the document
--   in:FIELD:WORD    the same for each text field, if there are several
--   is:FIELD:VALUE   set: documents with this keyword
--   number:FIELD     sorted set: documents by number or date
--   order:FIELD      sorted set: documents by the beginning of a text
--   doc:ID           hash: source (JSON) and what is indexed: t:FIELD (words in their order, between spaces; _ for a stop word), k:FIELD
--                    (keywords, separated by NUL), n:FIELD (number), o:FIELD (score of the text's beginning)

several, ranked = several == '1', ranked == '1'
local addPosting, dropPosting = ranked and 'ZADD' or 'SADD', ranked and 'ZREM' or 'SREM'

-- Calls a command with a list of keys or members, 1,000 at a time, since Lua's stack limits the number of arguments. Returns the sum of replies.
local function callWith(list, ...)
  local sum, head = 0, { ... }
  local count = #head
  for start = 1, #list, 1000 do
    local stop = math.min(start + 999, #list)
    for at = start, stop do head[count + at - start + 1] = list[at] end
    sum = sum + redis.call(unpack(head, 1, count + stop - start + 1))
  end
  return sum
end

-- What a document is indexed by: `words` (frequency by part of a key), `length` (number of words), `sets` and `scores` (by part of a key).
local function postingsOf(entries)
  local words, sets, scores, length = {}, {}, {}, 0
  for at = 1, #entries, 4 do
    local kind, name, value = entries[at], entries[at + 1], entries[at + 2]
    if kind == 't' then
      local counts = {}
      for word in value:gmatch('[^ ]+') do
        if word ~= '_' then
          counts[word] = (counts[word] or 0) + 1
          length = length + 1
        end
      end
      local weight = tonumber(entries[at + 3]) or 1
      for word, count in pairs(counts) do
        local key = 'words:' .. word
        words[key] = (words[key] or 0) + weight * count
        if several then words['in:' .. name .. ':' .. word] = weight * count end
      end
    elseif kind == 'k' then
      for one in value:gmatch('[^%z]+') do sets['is:' .. name .. ':' .. one] = true end
    else
      scores[(kind == 'n' and 'number:' or 'order:') .. name] = value
    end
  end
  return words, sets, scores, length
end

-- The document as it is indexed now; nil if it is not.
local function indexedEntries(id)
  local fields = redis.call('HGETALL', base .. 'doc:' .. id)
  if #fields == 0 then return nil end
  local entries, source = {}, nil
  for at = 1, #fields, 2 do
    local name = fields[at]
    if name == 'source' then
      source = fields[at + 1]
    else
      local count = #entries
      entries[count + 1], entries[count + 2], entries[count + 3], entries[count + 4] = name:sub(1, 1), name:sub(3), fields[at + 1], ''
    end
  end
  return entries, source
end

local function dropAll(id, words, keptWords, sets, keptSets, scores, keptScores)
  local dropped = {}
  for part in pairs(words) do
    if not keptWords[part] then
      redis.call(dropPosting, base .. part, id)
      if part:sub(1, 6) == 'words:' then dropped[#dropped + 1] = base .. part end
    end
  end
  -- Words that no document has any more.
  if #dropped > 0 and callWith(dropped, 'EXISTS') < #dropped then
    for _, key in ipairs(dropped) do
      if redis.call('EXISTS', key) == 0 then redis.call('ZREM', base .. 'terms', key:sub(#base + 7)) end
    end
  end
  for part in pairs(sets) do
    if not keptSets[part] then redis.call('SREM', base .. part, id) end
  end
  for part in pairs(scores) do
    if not keptScores[part] then redis.call('ZREM', base .. part, id) end
  end
end

-- Removes a document. Returns false if it was not indexed.
local function removeDocument(id)
  local entries = indexedEntries(id)
  if not entries then return false end
  local words, sets, scores = postingsOf(entries)
  dropAll(id, words, {}, sets, {}, scores, {})
  redis.call('DEL', base .. 'doc:' .. id)
  redis.call('SREM', base .. 'ids', id)
  return true
end
