-- Adds a job, or replaces it.
-- KEYS  base: see buckets.lua
-- ARGV  id
--       source         JSON of the job
--       locations      separated by NUL; the first one is empty: every job is found without a location, too
--       requirements   skill, min level and min years of each
-- Returns 1 if it is new, else 0.

local isNew = not removeJob(id)

-- The job is found by the two skills that fewest jobs require: then few jobs have to be looked at.
local rarest, second
local counts = {}
for at = 1, #requirements, 3 do
  local skill = requirements[at]
  local count = redis.call('HINCRBY', base .. 'popularity', skill, 1)
  counts[skill] = count
  if not rarest or count < counts[rarest] then
    rarest, second = skill, rarest
  elseif not second or count < counts[second] then
    second = skill
  end
end
local pair = rarest or ''
if second then
  -- The order of bytes. Comparing texts in Lua depends on the server's language.
  for at = 1, math.max(#rarest, #second) do
    local one, other = rarest:byte(at) or -1, second:byte(at) or -1
    if one ~= other then
      pair = one < other and rarest .. NUL .. second or second .. NUL .. rarest
      break
    end
  end
end

local packed = table.concat(requirements, NUL)
redis.call('HSET', base .. 'job:' .. id, 'requirements', packed, 'locations', locations, 'pair', pair, 'source', source)
for _, location in ipairs(split(locations)) do redis.call('HSET', bucketKey(location, pair), id, packed) end
redis.call('SADD', base .. 'ids', id)
return isNew and 1 or 0
