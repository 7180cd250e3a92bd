-- Finds the documents that have all words of a query, before the functions for other queries are made, which takes longer than most
-- searches. Read after find-result.lua. Leaves to search.lua: other queries, and orders by fields that not all documents have.

if words ~= '0' then
  local documents = redis.call('SCARD', base .. 'ids')
  local count = (#parts + words) / 2
  local call = { 'ZINTERSTORE', result, count }
  local isComplete = true
  for at = 1, words do
    local key = base .. parts[at]
    call[3 + at] = key
    local weight = 0
    if ranked == '1' and relevance ~= '0' then
      local size = redis.call('ZCARD', key)
      weight = math.log(1 + (documents - size + 0.5) / (size + 0.5)) * relevance
    end
    call[4 + count + at] = weight
  end
  for at = words + 1, #parts, 2 do
    local place = (at + words + 1) / 2
    call[3 + place], call[4 + count + place] = base .. parts[at], parts[at + 1]
    isComplete = isComplete and redis.call('ZCARD', base .. parts[at]) == documents
  end
  if isComplete then
    call[4 + count] = 'WEIGHTS'
    local total = redis.call(unpack(call, 1, 4 + 2 * count))
    redis.call('PEXPIRE', result, keep)
    return { digest, total, pageOf(result, tonumber(offset), tonumber(limit)) }
  end
end
