-- Makes the set of followers, or of lists, agree with a feed. Read after clock.lua. Sent twice, it does the same as sent once.
-- KEYS  user, subscribers (followers or listed), blocked, posts: of the user
-- ARGV  feed      who follows: a user, or a list
--       owner     of the feed
--       state     number of the relation; empty: it does not follow
--       at        when this was read from the feed, in ms; maxAge: how old it may be
--       count     how many of the newest statuses to return
-- Returns -1 if this is too old: read again; -2 if there is no such user, -3 if the user has blocked the owner; 0 if the feed does not
-- follow; otherwise {time in ms, last number of the user, number of deletions, numbers of the newest statuses and one more}.

if now - at > tonumber(maxAge) then return -1 end
if redis.call('EXISTS', user) == 0 then return -2 end
if state == '' then
  redis.call('ZREM', subscribers, feed)
  return 0
end
if redis.call('ZSCORE', blocked, owner) then
  redis.call('ZREM', subscribers, feed)
  return -3
end
redis.call('ZADD', subscribers, 'NX', now, feed)
local about = redis.call('HMGET', user, 'clock', 'deletions')
local reply = { now, about[1] or '0', about[2] or '0' }
for _, number in ipairs(redis.call('ZRANGE', posts, 0, count, 'REV')) do reply[#reply + 1] = number end
return reply
