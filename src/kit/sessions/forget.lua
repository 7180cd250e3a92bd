-- Forgets sessions of a user that do not exist, unless they were noted a moment ago and may be about to be created.
-- KEYS  sessions   sorted set: id of a session → when it ends at the latest (ms)
-- ARGV  lifetime   ms
--       grace      ms for which a session may be about to be created
--       ids

for _, id in ipairs(ids) do
  local ends = redis.call('ZSCORE', sessions, id)
  if ends and tonumber(ends) - lifetime + grace <= now then redis.call('ZREM', sessions, id) end
end
return 0
