-- Gives an acquisition back, or gives up waiting for it, and lets in who comes next. Read after drop.lua.
-- KEYS  lock, queue, waiters: see lock-state.lua and waiting-line.lua
-- ARGV  id        of the acquisition
--       keep      for how many ms at least the last token is remembered
-- Returns 1 if it was held, also past its lease if no other client has had it since; 0 if not.

-- Who holds it may stand in line as well: a first attempt that was sent again, after a connection was cut, overtakes itself.
leaveLine(id)
serveLine()
return wasHeld
