-- Goes on where complete.lua ends, for a dictionary that has entries with a weight.

limit = tonumber(limit)
local weighted = base .. 'weighted'
local found, weights = {}, {}
local fromText, afterEntry = after:match('^(%S+) (.*)$')
local from = tonumber(fromText)

local function add(entry, weight)
  found[#found + 1] = entry
  weights[#weights + 1] = string.format('%.17g', weight)
end

-- Lua compares texts by the rules of the server's language. Sorted sets compare bytes.
local function isBefore(one, other)
  for at = 1, math.min(#one, #other) do
    local a, b = one:byte(at), other:byte(at)
    if a ~= b then return a < b end
  end
  return #one < #other
end

-- Whether an entry follows the one where the last page ended.
local function follows(entry, weight)
  return not from or weight < from or (weight == from and isBefore(afterEntry, entry))
end

-- The rank of the first entry of a ranking that follows the last page. Entries of one weight are in order.
local function startIn(ranking)
  if not from then return 0 end
  local score = string.format('%.17g', -from)
  local low, high = redis.call('ZCOUNT', ranking, '-inf', '(' .. score), redis.call('ZCOUNT', ranking, '-inf', score)
  while low < high do
    local middle = math.floor((low + high) / 2)
    local entry = redis.call('ZRANGE', ranking, middle, middle)[1]
    if isBefore(afterEntry, entry) then high = middle else low = middle + 1 end
  end
  return low
end

-- The ranking of a short prefix is the answer.
local function takeFrom(ranking)
  local start = startIn(ranking)
  local page = redis.call('ZRANGE', ranking, start, start + limit - 1, 'WITHSCORES')
  for at = 1, #page, 2 do add(page[at], -page[at + 1]) end
end

-- For many matches: walks through the ranking of a shorter prefix. Returns false after `steps` entries: they are not among the heavy ones.
local function walk(ranking, steps)
  local rank = startIn(ranking)
  local stop = rank + steps
  while rank < stop do
    local page = redis.call('ZRANGE', ranking, rank, rank + 255, 'WITHSCORES')
    for at = 1, #page, 2 do
      local entry = page[at]
      if entry:sub(1, #prefix) == prefix then
        add(entry, -page[at + 1])
        if #found == limit then return true end
      end
    end
    if #page < 512 then return true end
    rank = rank + 256
  end
  found, weights = {}, {}
  return false
end

-- For few matches: sorts all of them.
local function sort()
  local entries = redis.call('ZRANGEBYLEX', weighted, first, last)
  local matches = {}
  for start = 1, #entries, 1000 do
    local stop = math.min(start + 999, #entries)
    local scores = redis.call('ZMSCORE', best, unpack(entries, start, stop))
    for at = start, stop do
      local weight = -(tonumber(scores[at - start + 1]) or 0)
      if follows(entries[at], weight) then matches[#matches + 1] = { at, weight } end
    end
  end
  table.sort(matches, function(one, other)
    if one[2] ~= other[2] then return one[2] > other[2] end
    return one[1] < other[1]
  end)
  for at = 1, math.min(limit, #matches) do add(entries[matches[at][1]], matches[at][2]) end
end

-- Matches that are sorted rather than looked for by weight.
local FEW = 200

local head = headOf(prefix, 2)
if from == 0 then
  first = '(' .. afterEntry
elseif prefix == '' then
  takeFrom(best)
elseif not head or head == prefix then
  takeFrom(best .. ':' .. prefix)
else
  local matches = redis.call('ZLEXCOUNT', weighted, first, last)
  if matches > 0 and (matches <= FEW or not walk(best .. ':' .. head, matches)) then sort() end
end

-- Entries without weight come last.
if #found < limit then
  for _, entry in ipairs(redis.call('ZRANGEBYLEX', plain, first, last, 'LIMIT', 0, limit - #found)) do add(entry, 0) end
end
return { table.concat(found, '\0'), table.concat(weights, ' ') }
