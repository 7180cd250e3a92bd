-- Sets how many permits there are, for everybody, and lets in who can come now. Permits that are out stay out.
-- KEYS  permits, limit, queue, waiters: see permit-state.lua and waiting-line.lua
-- ARGV  new_limit    empty: forgets what was set
--       usual_limit  how many permits there are if nobody has set the limit
-- Returns nothing.

if new_limit == '' then redis.call('DEL', limit) else redis.call('SET', limit, new_limit) end
serve_line()
