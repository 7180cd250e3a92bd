-- Sets how many permits there are, for everybody, and lets in who can come now. Permits that are out stay out.
-- KEYS  permits, limit, queue, waiters: see permit-state.lua and waiting-line.lua
-- ARGV  newLimit    empty: forgets what was set
--       defaultLimit  how many permits there are if nobody has set the limit
-- Returns nothing.

if newLimit == '' then redis.call('DEL', limit) else redis.call('SET', limit, newLimit) end
serveLine()
