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
local dropPosting = ranked and 'ZREM' or 'SREM'

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

-- What a document is indexed by, as parts of keys: words, keywords, and orders. `fields` is the content of its hash.
local function entriesOf(fields)
  local words, sets, scores = {}, {}, {}
  for at = 1, #fields, 2 do
    local kind, name, value = fields[at]:sub(1, 2), fields[at]:sub(3), fields[at + 1]
    if kind == 't:' then
      for word in value:gmatch('[^ ]+') do
        if word ~= '_' then
          words['words:' .. word] = true
          if several then words['in:' .. name .. ':' .. word] = true end
        end
      end
    elseif kind == 'k:' then
      for one in value:gmatch('[^%z]+') do sets['is:' .. name .. ':' .. one] = true end
    elseif kind == 'n:' or kind == 'o:' then
      scores[(kind == 'n:' and 'number:' or 'order:') .. name] = true
    end
  end
  return { words = words, sets = sets, scores = scores }
end

-- Removes a document from all that is not kept.
local function dropAll(id, entries, kept)
  local dropped = {}
  for part in pairs(entries.words) do
    if not kept[part] then
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
  for part in pairs(entries.sets) do
    if not kept[part] then redis.call('SREM', base .. part, id) end
  end
  for part in pairs(entries.scores) do
    if not kept[part] then redis.call('ZREM', base .. part, id) end
  end
end

-- Removes a document. Returns false if it was not indexed.
local function removeDocument(id)
  local fields = redis.call('HGETALL', base .. 'doc:' .. id)
  if #fields == 0 then return false end
  dropAll(id, entriesOf(fields), {})
  redis.call('DEL', base .. 'doc:' .. id)
  redis.call('SREM', base .. 'ids', id)
  return true
end
