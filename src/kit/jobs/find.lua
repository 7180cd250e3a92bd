-- Finds the jobs that a candidate has all skills for. A job is in the bucket of two of its skills, so only the buckets of the candidate's
-- pairs of skills are read.
-- KEYS  base: see buckets.lua
-- ARGV  locations   separated by NUL; empty: anywhere
--       skills      skill, level and years of each, in the order of the skills' bytes
-- Returns {id, number of required skills, …}.

local known, levels, years = {}, {}, {}
if #skills > 0 then
  local names = {}
  for at = 1, #skills, 3 do names[#names + 1] = skills[at] end
  -- Skills that no job requires have no buckets.
  for at, count in ipairs(redis.call('HMGET', base .. 'popularity', unpack(names))) do
    if count then
      local skill = names[at]
      known[#known + 1] = skill
      levels[skill], years[skill] = tonumber(skills[3 * at - 1]), tonumber(skills[3 * at])
    end
  end
end

local function isQualified(requirements)
  local count = 0
  for skill, level, time in (requirements .. NUL):gmatch('([^%z]+)%z([^%z]+)%z([^%z]+)%z') do
    if not levels[skill] or levels[skill] < tonumber(level) or years[skill] < tonumber(time) then return nil end
    count = count + 1
  end
  return count
end

local found, seen = {}, {}
local function look(location, pair)
  local jobs = redis.call('HGETALL', bucketKey(location, pair))
  for at = 1, #jobs, 2 do
    local id = jobs[at]
    if not seen[id] then
      seen[id] = true
      local count = isQualified(jobs[at + 1])
      if count then
        found[#found + 1] = id
        found[#found + 1] = count
      end
    end
  end
end

for _, location in ipairs(split(locations)) do
  look(location, '')
  for at, skill in ipairs(known) do
    look(location, skill)
    for next = at + 1, #known do look(location, skill .. NUL .. known[next]) end
  end
end
return found
