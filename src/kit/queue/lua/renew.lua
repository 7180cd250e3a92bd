-- Renews the leases of a worker's tasks.
-- KEYS: the keys of the queue. ARGV: lease in ms; leases: two per task: id and token.
-- Returns the ids that the worker no longer holds.
local lost, ids, renewed = {}, {}, {}
for i = 1, #leases, 2 do ids[#ids + 1] = leases[i] end
local tokens = redis.call('HMGET', holders, unpack(ids))
for at, id in ipairs(ids) do
  local token = leases[at * 2]
  if tokens[at] == token then
    if not renewed[token] then redis.call('ZADD', active, 'XX', now + tonumber(lease), token) end
    renewed[token] = true
  else
    lost[#lost + 1] = id
  end
end
return lost
