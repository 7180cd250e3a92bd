-- Gives permits back, or gives up waiting for them, and lets in who comes next. Read after drop.lua.
-- KEYS  permits, limit, queue, waiters: see permit-state.lua and waiting-line.lua
-- ARGV  id           of the acquisition
--       count        how many permits it has
--       usual_limit  how many permits there are if nobody has set the limit
-- Returns 1 if they were held, if only past their lease with nobody else to have had them since; 0 if not.

dropped = dropped + drop_permits(id, tonumber(count))
leave_line(id)
serve_line()
return dropped > 0 and 1 or 0
