-- Runs a command on the shard that a slot is being moved from, unless the key has moved already.
-- KEYS  key     of the command
--       gate    exists once the move has begun here
--       moved   hash: keys that are on the new shard → name of the copy to adopt there; empty: none
-- ARGV  words   the command
-- Returns {0, reply}, or {1, name of the copy} if the command has to run on the new shard.

if redis.call('EXISTS', gate) == 1 then
  local copy = redis.call('HGET', moved, key)
  if copy then return { 1, copy } end
  -- A key that does not exist is created on the new shard: here, keys only become fewer.
  if redis.call('EXISTS', key) == 0 then
    redis.call('HSET', moved, key, '')
    return { 1, '' }
  end
end
return { 0, redis.pcall(unpack(words)) }
