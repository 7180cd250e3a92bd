-- The first step of a query of words only, before the functions for other queries are made, which takes longer than most searches: the
-- conditions and their weights. If one of the words has no more documents than fit on the first page, these are returned at
-- once: there is nothing to keep for further pages. Read after page.lua; search.lua describes the inputs.

local conditions, weights = {}, {}
-- Whether all documents have the fields that the result is sorted by.
local isSortable = words ~= '0'
if isSortable then
  words = tonumber(words)
  local documents = redis.call('SCARD', base .. 'ids')
  local size = ranked == '1' and 'ZCARD' or 'SCARD'
  local fewest = documents
  for at = 1, words do
    local key = base .. parts[at]
    local count = redis.call(size, key)
    fewest = math.min(fewest, count)
    conditions[at] = key
    -- Rare words count more.
    weights[at] = relevance == '0' and 0 or math.log(1 + (documents - count + 0.5) / (count + 0.5)) * relevance
  end
  for at = words + 1, #parts, 2 do
    local key = base .. parts[at]
    conditions[#conditions + 1], weights[#weights + 1] = key, parts[at + 1]
    isSortable = isSortable and redis.call('ZCARD', key) == documents
  end
  if fewest == 0 then return { '', 0, {} } end
  if isSortable and fewest <= tonumber(limit) and offset == '0' then
    local call = { 'ZINTER', #conditions, unpack(conditions) }
    call[#call + 1] = 'WEIGHTS'
    for _, weight in ipairs(weights) do call[#call + 1] = weight end
    call[#call + 1] = 'WITHSCORES'
    local members = redis.call(unpack(call))
    return { '', #members / 2, documentsOf(members) }
  end
end
