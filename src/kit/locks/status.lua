-- Returns who holds a lock, and how many wait for it. Read after clock.lua, waiting-line.lua and live-waiters.lua.
-- KEYS  lock, queue, waiters: see lock-state.lua and waiting-line.lua
-- Returns {waiters, then for each acquisition: mode, ms until its lease ends, token, holder}.

local reply = { liveWaiters() }
local state = redis.call('HGETALL', lock)
for i = 1, #state, 2 do
  if state[i] ~= 'fence' then
    local ends, token, mode, holder = string.match(state[i + 1], '^(%d+) (%d+) (%a) (.*)$')
    if tonumber(ends) > now then
      reply[#reply + 1] = mode
      reply[#reply + 1] = ends - now
      reply[#reply + 1] = token
      reply[#reply + 1] = holder
    end
  end
end
return reply
