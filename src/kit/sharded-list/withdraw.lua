-- Waits no longer, and wakes who is next: the one that gives up may have been woken before.
-- KEYS  meta, shard: see shards.lua; queue, waiters: see waiting-line.lua
-- ARGV  id   of the waiter

leaveLine(id)
wakeLine(math.min(length, 1))
return 0
