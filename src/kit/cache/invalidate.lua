-- Removes an entry. A value that is being produced now will not be stored: it may be older than this call.
-- KEYS  entry, producer, waiters: see entry-state.lua
-- Returns 1 if there was a value.

redis.call('DEL', producer)
local there = redis.call('DEL', entry)
wake('')
return there
