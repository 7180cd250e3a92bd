-- The structures of a job index, for scripts that include this file first. Uses the local `base`.
--   base           what all keys of the index begin with:
--   job:ID         hash: requirements (skill, level and years of each, separated by NUL), locations (separated by NUL), pair (the skills by
--                  which it is found, separated by NUL), source (JSON)
--   ids            set: the ids of all jobs
--   popularity     hash: number of jobs that require each skill
--   bucket:PLACE   PLACE, NUL and up to two skills in order, separated by NUL: hash from job to the skills it requires, with level and years.
--                  A job is in one bucket for each of its locations, and in one of the empty location

local NUL = '\0'

-- The parts of a text that is separated by NUL bytes.
local function split(text)
  local parts = {}
  for part in (text .. NUL):gmatch('([^%z]*)%z') do parts[#parts + 1] = part end
  return parts
end

local function bucketKey(location, pair)
  return base .. 'bucket:' .. location .. NUL .. pair
end

-- Removes a job. Returns false if there is none.
local function removeJob(id)
  local found = redis.call('HMGET', base .. 'job:' .. id, 'requirements', 'locations', 'pair')
  if not found[1] then return false end
  local requirements = found[1] == '' and {} or split(found[1])
  for at = 1, #requirements, 3 do
    if redis.call('HINCRBY', base .. 'popularity', requirements[at], -1) <= 0 then
      redis.call('HDEL', base .. 'popularity', requirements[at])
    end
  end
  for _, location in ipairs(split(found[2])) do redis.call('HDEL', bucketKey(location, found[3]), id) end
  redis.call('DEL', base .. 'job:' .. id)
  redis.call('SREM', base .. 'ids', id)
  return true
end
