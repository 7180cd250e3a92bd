-- Removes a document.
-- KEYS  base: see document.lua
-- ARGV  several, ranked: see document.lua
--       id
-- Returns 1 if there was one, else 0.

if not removeDocument(id) then return 0 end
redis.call('INCR', base .. 'version')
return 1
