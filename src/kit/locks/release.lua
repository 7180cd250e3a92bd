-- Releases an acquisition, or leaves the queue, and serves the next waiters. Read after drop.lua.
-- KEYS  lock, queue, waiters: see lock-state.lua and waiting-line.lua
-- ARGV  id        of the acquisition
--       keep      min time for which the last token is kept, in ms
-- Returns 1 if it was held, even past its lease if no other client has held it since; 0 if not. 2 if it was held, and is now free although
--         clients wait: they let others overtake for a few ms. See serve.lua.

-- A holder may also be in the queue: after a disconnect, a first attempt that is sent again can overtake itself.
leaveLine(id)
serveLine()
return wasHeld
