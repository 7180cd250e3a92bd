-- A child in another queue is completed or removed. Arriving twice is the same as arriving once.
-- KEYS: the keys of the parent's queue. ARGV: parent: its id; child: own id of the child; result as JSON or ''; bound.
-- Returns 1, or 0 if the parent does not wait for it (any more).
if redis.call('HDEL', notes, 'remote:' .. parent .. ':' .. child) == 0 then return 0 end
local header = headerOf(parent)
if not header then return 0 end
if result ~= '' then redis.call('HSET', notes, 'input:' .. parent .. ':' .. child, result) end
unblock(parent, header)
publish(bound)
return 1
