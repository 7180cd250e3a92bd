-- Decides once how a sharded structure is divided: the first client's layout is kept, all others use it.
-- KEYS  layout   hash: kind (hashed or sequential), number (of shards, or of elements per shard)
--       index    set of the numbers of shards that may exist; only if ids are sequential
-- ARGV  kind, number   the layout if there is none yet
--       expiry         time to live of layout and index in ms; 0: they stay
-- Returns {kind, number}.

if redis.call('EXISTS', layout) == 0 then redis.call('HSET', layout, 'kind', kind, 'number', number) end
if expiry ~= '0' then
  redis.call('PEXPIRE', layout, expiry)
  redis.call('PEXPIRE', index, expiry)
end
return redis.call('HMGET', layout, 'kind', 'number')
