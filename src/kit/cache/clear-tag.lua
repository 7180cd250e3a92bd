-- Begins the invalidation of a tag: values whose production began before it are not stored any more.
-- KEYS  entries, era: see tag-entry.lua
-- ARGV  number     of this invalidation
--       remember   ms: longer than any production takes
-- Returns the names of the entries.

if tonumber(number) > tonumber(redis.call('GET', era) or 0) then redis.call('SET', era, number, 'PX', remember) end
local names = redis.call('ZRANGE', entries, 0, -1)
redis.call('DEL', entries)
return names
