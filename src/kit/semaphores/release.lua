-- Releases permits, or leaves the queue, and serves the next waiters. Read after drop.lua.
-- KEYS  permits, limit, queue, waiters: see permit-state.lua and waiting-line.lua
-- ARGV  id           of the acquisition
--       count        its number of permits
--       defaultLimit  the limit, if none was set by setLimit
-- Returns 1 if they were held, even past their lease if no other client has held them since; 0 if not.

dropped = dropped + dropPermits(id, tonumber(count))
leaveLine(id)
serveLine()
return dropped > 0 and 1 or 0
