-- Creates a user. Sent twice, it does the same as sent once.
-- KEYS  user   hash: see README
-- ARGV  token  of this call
--       login, name, data
-- Returns the time of the sign-up in ms; 0 if the name is taken.

if redis.call('EXISTS', user) == 1 then
  if redis.call('HGET', user, 'token') ~= token then return 0 end
  return tonumber(redis.call('HGET', user, 'joined'))
end
redis.call('HSET', user, 'token', token, 'login', login, 'name', name, 'data', data, 'joined', now)
return now
