-- Makes a contact the most recent one.
-- KEYS  recent    list: contacts, most recent first
-- ARGV  contact
--       limit     max contacts
-- Returns the number of contacts.

redis.call('LREM', recent, 0, contact)
local count = redis.call('LPUSH', recent, contact)
redis.call('LTRIM', recent, 0, limit - 1)
return math.min(count, tonumber(limit))
