-- KEYS  user, followers, following, posts
-- Returns {login, name, data, joined, followers, following, posts}; {} if there is no such user. Counts are sizes of sets: they
-- cannot differ.

local found = redis.call('HMGET', user, 'login', 'name', 'data', 'joined')
if not found[1] then return {} end
for _, set in ipairs({ followers, following, posts }) do found[#found + 1] = redis.call('ZCARD', set) end
return found
