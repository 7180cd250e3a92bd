-- Gives a key away, if it is still what was copied.
-- KEYS  key
--       moved     hash: keys that are on the new shard → name of the copy to adopt there
-- ARGV  digest    of the content that was copied
--       expiresAt when the copy expires, in Unix ms or -1
--       copy      name of the copy
-- Returns 1 if the key is on the new shard from now on, 0 if it was changed or is gone.

local content = redis.call('DUMP', key)
if not content or redis.sha1hex(content) ~= digest then return 0 end
if redis.call('PEXPIRETIME', key) ~= tonumber(expiresAt) then return 0 end
redis.call('UNLINK', key)
redis.call('HSET', moved, key, copy)
return 1
