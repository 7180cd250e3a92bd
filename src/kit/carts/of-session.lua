-- The cart of a session. Read after the Lua functions of sessions; uses the local `id`.
--   cart   hash: i:<item> → count; offer (JSON: what is being merged into the cart of a user)
-- `cart` is false if there is no such session. Call `done` after a change.

local last, names = see(id)
local cart = last and belonging(id, 'cart', names)
local function done() redis.call('PEXPIREAT', cart, last) end
