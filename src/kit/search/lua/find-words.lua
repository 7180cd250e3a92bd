-- Finds the documents that have all words of a query. Read after find-few.lua and find-result.lua. Leaves to search.lua: other queries, and
-- orders by fields that not all documents have.

if isSortable then
  local call = { 'ZINTERSTORE', result, #conditions, unpack(conditions) }
  call[#call + 1] = 'WEIGHTS'
  for _, weight in ipairs(weights) do call[#call + 1] = weight end
  local total = redis.call(unpack(call))
  redis.call('PEXPIRE', result, keep)
  return { digest, total, pageOf(result, tonumber(offset), tonumber(limit)) }
end
