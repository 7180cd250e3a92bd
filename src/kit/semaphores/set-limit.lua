-- Sets how many permits there are, for all processes, and grants waiters what is free now. Permits that are out stay out.
-- KEYS  permits, limit, queue, waiters: see permit-state.lua and waiting-line.lua
-- ARGV  newLimit    empty: forgets what was set
--       defaultLimit  how many permits there are if no limit was set
-- Returns nothing.

if newLimit == '' then redis.call('DEL', limit) else redis.call('SET', limit, newLimit) end
serveLine()
