-- Renews the leases of a worker's tasks.
-- KEYS: those of the queue. ARGV: lease in ms; leases: for each task two: id and token.
-- Returns the ids that the worker does not hold any more.
local lost, ids = {}, {}
for i = 1, #leases, 2 do ids[#ids + 1] = leases[i] end
local tokens = redis.call('HMGET', holders, unpack(ids))
for at, id in ipairs(ids) do
  if tokens[at] == leases[at * 2] then
    redis.call('ZADD', active, 'XX', now + tonumber(lease), id)
  else
    lost[#lost + 1] = id
  end
end
return lost
