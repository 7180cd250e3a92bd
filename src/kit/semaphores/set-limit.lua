-- Sets the limit for all processes, and grants free permits to waiters. Permits that are held stay held.
-- KEYS  permits, limit, queue, waiters: see permit-state.lua and waiting-line.lua
-- ARGV  newLimit    empty: restores the default
--       defaultLimit  the limit, if none was set by setLimit
-- Returns nothing.

if newLimit == '' then redis.call('DEL', limit) else redis.call('SET', limit, newLimit) end
serveLine()
