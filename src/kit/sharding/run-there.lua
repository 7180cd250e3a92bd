-- Runs a command on the shard that a slot is being moved to. If the key has come as a copy under another name, it gets its name first.
-- KEYS  key    of the command
--       copy   name of the copy
-- ARGV  words  the command; none: only adopt the copy
-- Returns the reply.

if redis.call('EXISTS', copy) == 1 then redis.call('RENAME', copy, key) end
if #words == 0 then return 0 end
return redis.pcall(unpack(words))
