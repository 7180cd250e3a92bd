-- Evaluates a query, for scripts that include this file. Read after document.lua. Uses the locals `base`, `ranked` and `query`.
--
-- The most selective condition comes first. Each further step intersects the candidates so far with a condition, which
-- costs as much as the smaller of both. Intermediate sorted sets are temporary keys.

-- Words that a prefix may stand for.
local MAX_WORDS = 1000

local plan = cjson.decode(query)
local temporaries = {}
-- A prefix that more words begin with.
local tooWide

local function newTemporary()
  local key = base .. 'temporary:' .. (#temporaries + 1)
  temporaries[#temporaries + 1] = key
  return key
end

-- Combines inputs ({key, weight} each) by ZINTERSTORE or ZUNIONSTORE. Returns the destination.
local function combine(command, inputs, destination)
  local count = #inputs
  local call = { command, destination or newTemporary(), count }
  for at, input in ipairs(inputs) do
    call[3 + at] = input[1]
    call[4 + count + at] = input[2]
  end
  call[4 + count] = 'WEIGHTS'
  redis.call(unpack(call))
  return call[2]
end

local documents = redis.call('SCARD', base .. 'ids')

-- How much a word counts: rare words count more.
local function rarity(size)
  if not ranked or plan.relevance == 0 then return 0 end
  return math.log(1 + (documents - size + 0.5) / (size + 0.5))
end

local function posting(key)
  local size = redis.call(ranked and 'ZCARD' or 'SCARD', key)
  return { key, rarity(size), size }
end

local function wordKey(field, word)
  return base .. (field == '' and 'words:' or 'in:' .. field .. ':') .. word
end

-- What a condition needs: its size at most, and `union` (postings, one of which a document must be in), `phrase` or `range`.
local function sourceOf(condition)
  local kind, name = condition[1], condition[2]
  if kind == 'word' then
    local one = posting(wordKey(name, condition[3]))
    return { size = one[3], union = { one } }
  elseif kind == 'set' then
    local key = base .. name
    local size = redis.call('SCARD', key)
    return { size = size, union = { { key, 0, size } } }
  elseif kind == 'prefix' then
    local start = condition[3]
    local terms = redis.call('ZRANGEBYLEX', base .. 'terms', '[' .. start, '(' .. start .. '\255', 'LIMIT', 0, MAX_WORDS + 1)
    if #terms > MAX_WORDS then tooWide = start end
    local source = { size = 0, union = {} }
    for _, term in ipairs(terms) do
      local one = posting(wordKey(name, term))
      if one[3] > 0 then
        source.union[#source.union + 1] = one
        source.size = source.size + one[3]
      end
    end
    return source
  elseif kind == 'phrase' then
    local source = { phrase = {}, field = name, text = ' ' .. table.concat(condition, ' ', 3) .. ' ' }
    local seen = {}
    for at = 3, #condition do
      local word = condition[at]
      if word ~= '_' and not seen[word] then
        seen[word] = true
        local one = posting(wordKey(name, word))
        source.phrase[#source.phrase + 1] = one
        source.size = math.min(source.size or one[3], one[3])
      end
    end
    return source
  end
  local key = base .. 'number:' .. name
  return { size = redis.call('ZCOUNT', key, condition[3], condition[4]), range = key, min = condition[3], max = condition[4] }
end

-- Removes the documents in which the words are not next to each other.
local function keepPhrase(key, source)
  local names = {}
  if source.field ~= '' then
    names[1] = 't:' .. source.field
  else
    for at, field in ipairs(plan.texts) do names[at] = 't:' .. field end
  end
  local wrong = {}
  for _, id in ipairs(redis.call('ZRANGE', key, 0, -1)) do
    local isThere = false
    for _, text in ipairs(redis.call('HMGET', base .. 'doc:' .. id, unpack(names))) do
      if text and text:find(source.text, 1, true) then isThere = true end
    end
    if not isThere then wrong[#wrong + 1] = id end
  end
  if #wrong > 0 then callWith(wrong, 'ZREM', key) end
end

-- The other end of a range, for what is outside of it.
local function beyond(bound)
  return bound:sub(1, 1) == '(' and bound:sub(2) or '(' .. bound
end

-- An input with the documents that meet a condition, at least those among the candidates (nil: all documents).
local function inputOf(source, candidates, count)
  if source.union then
    local postings = source.union
    if #postings == 1 then return postings[1] end
    if #postings == 0 then return { newTemporary(), 0 } end
    if candidates and source.size > count * #postings then
      local parts = {}
      for at, one in ipairs(postings) do parts[at] = { combine('ZINTERSTORE', { { candidates, 0 }, one }), 1 } end
      postings = parts
    end
    return { combine('ZUNIONSTORE', postings), 1 }
  elseif source.phrase then
    local inputs = source.phrase
    if candidates then
      inputs = { unpack(inputs) }
      inputs[#inputs + 1] = { candidates, 0 }
    end
    local key = combine('ZINTERSTORE', inputs)
    keepPhrase(key, source)
    return { key, 1 }
  end
  if not candidates or source.size <= count then
    local key = newTemporary()
    redis.call('ZRANGESTORE', key, source.range, source.min, source.max, 'BYSCORE')
    return { key, 0 }
  end
  local key = combine('ZINTERSTORE', { { candidates, 0 }, { source.range, 1 } })
  if source.min ~= '-inf' then redis.call('ZREMRANGEBYSCORE', key, '-inf', beyond(source.min)) end
  if source.max ~= '+inf' then redis.call('ZREMRANGEBYSCORE', key, beyond(source.max), '+inf') end
  return { key, 0 }
end

-- One input for several conditions, one of which a document must meet.
local function inputOfGroup(group, candidates, count)
  if #group.sources == 1 then return inputOf(group.sources[1], candidates, count) end
  local inputs = {}
  for at, source in ipairs(group.sources) do
    local input = inputOf(source, candidates, count)
    -- Long postings are cut down to the candidates first.
    if candidates and source.size > count then input = { combine('ZINTERSTORE', { { candidates, 0 }, input }), 1 } end
    inputs[at] = input
  end
  return { combine('ZUNIONSTORE', inputs), 1 }
end

local function groupsOf(lists)
  local groups = {}
  for at, conditions in ipairs(lists) do
    local group = { sources = {}, size = 0 }
    for place, condition in ipairs(conditions) do
      local source = sourceOf(condition)
      group.sources[place] = source
      group.size = group.size + source.size
    end
    groups[at] = group
  end
  return groups
end

-- One input for all inputs: documents that are in each of them.
local function joined(inputs)
  if #inputs == 1 then return inputs[1] end
  return { combine('ZINTERSTORE', inputs), 1 }
end

-- The inputs whose intersection the query asks for; nil if it is empty.
local function matches()
  local groups = groupsOf(plan.groups)
  local unwanted = groupsOf({ plan.unwanted })[1]
  table.sort(groups, function(one, other) return one.size < other.size end)
  if #groups == 0 then groups[1] = { size = documents, sources = { { size = documents, union = { { base .. 'ids', 0 } } } } } end
  if tooWide or groups[1].size == 0 then return nil end
  local inputs, later = { inputOfGroup(groups[1]) }, {}
  for at = 2, #groups do
    local sources = groups[at].sources
    if #sources == 1 and sources[1].union and #sources[1].union == 1 then
      inputs[#inputs + 1] = sources[1].union[1]
    else
      later[#later + 1] = groups[at]
    end
  end
  local function size(key) return redis.call(redis.call('TYPE', key).ok == 'set' and 'SCARD' or 'ZCARD', key) end
  for _, group in ipairs(later) do
    local candidates = joined(inputs)
    inputs = { candidates, inputOfGroup(group, candidates[1], size(candidates[1])) }
  end
  if #unwanted.sources > 0 then
    local candidates = joined(inputs)
    local call = { 'ZDIFFSTORE', newTemporary(), 0, candidates[1] }
    local count = size(candidates[1])
    for _, source in ipairs(unwanted.sources) do
      if source.union then
        for _, one in ipairs(source.union) do call[#call + 1] = one[1] end
      else
        call[#call + 1] = inputOf(source, candidates[1], count)[1]
      end
    end
    call[3] = #call - 3
    redis.call(unpack(call))
    inputs = { { call[2], candidates[2] } }
  end
  return inputs
end
