-- Gives an acquisition back, or gives up waiting for it, and lets in who comes next.
-- KEYS  holds, fence, queue, waiters: see lock-state.lua and waiting-line.lua
-- ARGV  id            of the acquisition
--       fence_memory  how many ms the last token is remembered
-- Returns 1 if it was held, 0 if not.

local was_held = held[id] and 1 or 0
drop_hold(id)
leave_line(id)
serve_line()
return was_held
