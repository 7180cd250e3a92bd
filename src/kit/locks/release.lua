-- Releases an acquisition, or leaves the queue, and serves the next waiters. Read after drop.lua.
-- KEYS  lock, queue, waiters: see lock-state.lua and waiting-line.lua
-- ARGV  id        of the acquisition
--       keep      min time for which the last token is kept, in ms; empty: leave the lock free, because the first waiter is known to let
--                 others overtake
-- Returns 1 if it was held, even past its lease if no other client has held it since; 0 if not. 2 or more if it was held, and is now free although
--         clients wait: they let others overtake for that many µs less 2. See serve.lua.

-- A holder may also be in the queue: after a disconnect, a first attempt that is sent again can overtake itself.
keep = tonumber(keep) or 0
leaveLine(id)
serveLine()
return wasHeld
