-- Finds the cached result of the same query in the same version of the index. Read after find-few.lua and before search.lua, which
-- describes the inputs; most of its functions are not needed then.

local digest = redis.sha1hex((redis.call('GET', base .. 'version') or '') .. ' ' .. query)
local result = base .. 'result:' .. digest
local isCached = redis.call('PEXPIRE', result, keep) == 1
if isCached and facets == '0' then
  return { digest, redis.call('ZCARD', result), pageOf(result, tonumber(offset), tonumber(limit)) }
end
