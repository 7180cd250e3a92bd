-- Removes a job.
-- KEYS  base: see buckets.lua
-- ARGV  id
-- Returns 1 if there was one, else 0.

return removeJob(id) and 1 or 0
