-- Reads from a result, for scripts that include this file. Uses the local `base`.

-- The documents of a result at these places: id, score and JSON of each. Documents that were removed meanwhile are left out.
local function pageOf(result, offset, limit)
  local members = redis.call('ZRANGE', result, offset, offset + limit - 1, 'WITHSCORES')
  local page = {}
  for at = 1, #members, 2 do
    local source = redis.call('HGET', base .. 'doc:' .. members[at], 'source')
    if source then
      local count = #page
      page[count + 1], page[count + 2], page[count + 3] = members[at], members[at + 1], source
    end
  end
  return page
end
