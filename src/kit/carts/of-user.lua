-- The cart of a user. Uses the locals `cart` and `keep`.
--   cart   hash: i:<item> → count
-- Call `done` after a change.

local function done() redis.call('PEXPIRE', cart, keep) end
