-- Reads documents of a result, for scripts that include this file. Uses the local `base`.

-- Id, score and JSON of each document, from a list of ids and scores. Documents that were removed meanwhile are left out.
local function documentsOf(members)
  local page, count = {}, 0
  for at = 1, #members, 2 do
    local source = redis.call('HGET', base .. 'doc:' .. members[at], 'source')
    if source then
      page[count + 1], page[count + 2], page[count + 3] = members[at], members[at + 1], source
      count = count + 3
    end
  end
  return page
end

-- The documents of a result at these places.
local function pageOf(result, offset, limit)
  return documentsOf(redis.call('ZRANGE', result, offset, offset + limit - 1, 'WITHSCORES'))
end
