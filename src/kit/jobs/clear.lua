-- Removes some of the jobs.
-- KEYS  base: see buckets.lua
-- ARGV  max   max number of jobs
-- Returns the number of jobs left.

for _, id in ipairs(redis.call('SRANDMEMBER', base .. 'ids', max)) do removeJob(id) end
return redis.call('SCARD', base .. 'ids')
