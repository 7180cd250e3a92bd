-- Reads a lock, for scripts without a fast path that has done so. Read before lock-state.lua.

local state = redis.call('HGETALL', lock)
