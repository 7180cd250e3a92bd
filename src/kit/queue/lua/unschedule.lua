-- Ends a schedule. KEYS: the keys of the queue. ARGV: name. Returns 1, or 0 if there is none.
redis.call('ZREM', occurrences, name)
return redis.call('HDEL', schedules, name)
