-- Gives permits back, or gives up waiting for them, and lets in who comes next. Read after drop.lua.
-- KEYS  permits, limit, queue, waiters: see permit-state.lua and waiting-line.lua
-- ARGV  id           of the acquisition
--       count        how many permits it has
--       defaultLimit  how many permits there are if no limit was set
-- Returns 1 if they were held, also past their lease if no other client has had them since; 0 if not.

dropped = dropped + dropPermits(id, tonumber(count))
leaveLine(id)
serveLine()
return dropped > 0 and 1 or 0
