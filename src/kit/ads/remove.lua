-- Removes an ad.
-- KEYS  base: see ads.lua
-- ARGV  prior: see ads.lua
--       id
-- Returns 1 if there was one, else 0.

return removeAd(id) and 1 or 0
