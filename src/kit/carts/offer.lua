-- Begins to merge the cart of a session into the cart of a user. What is offered stays in the cart until it is settled, so that
-- nothing is lost if the process dies; it is offered again with the same number, so that nothing is merged twice.
-- ARGV  id       of the session
--       number   of a new offer
--       user     who gets it
-- Returns the offer as JSON: { number, user, items: { item: count } }; empty if there is nothing, or no such session.

if not cart then return '' end
local before = redis.call('HGET', cart, 'offer')
if before then return before end
local items, isEmpty = {}, true
local found = redis.call('HGETALL', cart)
for at = 1, #found, 2 do
  items[string.sub(found[at], 3)] = tonumber(found[at + 1])
  isEmpty = false
end
if isEmpty then return '' end
local offer = cjson.encode({ number = number, user = user, items = items })
redis.call('HSET', cart, 'offer', offer)
done()
return offer
