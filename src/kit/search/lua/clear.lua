-- Removes some of the documents.
-- KEYS  base: see document.lua
-- ARGV  several, ranked: see document.lua
--       max   max number of documents
-- Returns the number of documents left.

for _, id in ipairs(redis.call('SRANDMEMBER', base .. 'ids', max)) do removeDocument(id) end
local left = redis.call('SCARD', base .. 'ids')
-- The version goes on: a cached result of an older one must not be taken for one of the empty index. Results expire.
redis.call('INCR', base .. 'version')
return left
