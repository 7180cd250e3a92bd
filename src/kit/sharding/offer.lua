-- Reads a key that is to be moved.
-- KEYS  key
-- Returns {its content as DUMP makes it, when it expires in Unix ms or -1, a digest of the content}; {} if it does not exist.

local content = redis.call('DUMP', key)
if not content then return {} end
return { content, redis.call('PEXPIRETIME', key), redis.sha1hex(content) }
