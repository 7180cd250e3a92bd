-- Deletes messages that were delivered. KEYS: the keys of the queue. ARGV: numbers.
redis.call('ZREM', blocked .. ':due', unpack(numbers))
return redis.call('HDEL', blocked .. ':out', unpack(numbers))
