-- One entry of a cache, for scripts that include this file first. Uses the locals `entry`, `producer` and `waiters`.
--   entry      hash: body, fresh (the time until which it is fresh, in ms), tags; expires when it is too stale to be used
--   producer   string: id of the client that produces the value; expires with its lease
--   waiters    hash: id of a waiter → 'attempt channel'; expires

-- Wakes all waiters. Without an outcome they claim again.
local function wake(outcome)
  local found = redis.call('HGETALL', waiters)
  if #found == 0 then return end
  redis.call('DEL', waiters)
  for at = 1, #found, 2 do
    local attempt, channel = string.match(found[at + 1], '^(%d+) (.*)$')
    redis.call('PUBLISH', channel, outcome == '' and found[at] or found[at] .. ' ' .. attempt .. ' ' .. outcome)
  end
end
