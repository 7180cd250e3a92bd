-- Removes a waiter, and wakes the next one: this waiter may have used up a wake-up.
-- KEYS  meta, shard: see shards.lua; queue, waiters: see waiting-line.lua
-- ARGV  id   of the waiter

leaveLine(id)
wakeLine(math.min(length, 1))
return 0
