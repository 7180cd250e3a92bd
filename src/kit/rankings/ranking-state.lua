-- A ranking, for scripts that include this file after clock.lua. Uses the locals `byScore`, `byTime` and `base`.
--   byScore, byTime          sorted sets: id of an article → score; → when it was posted (ms)
--   <base>article:<id>       hash: author, title, link, posted (ms), up, down, groups (JSON)
--   <base>votes:<id>         hash: user → up or down; expires when voting ends
--   <base>group:<group>      set: ids
--   <base>ranked:<order>:<group>   sorted set: a group's ranking; expires

local function articleOf(id) return base .. 'article:' .. id end

local function groupOf(group) return base .. 'group:' .. group end

-- The names of an article's groups. A list that is empty looks like an object in JSON.
local function groupsOf(id)
  local names = cjson.decode(redis.call('HGET', articleOf(id), 'groups') or '[]')
  return names
end

local function saveGroups(id, names)
  redis.call('HSET', articleOf(id), 'groups', #names == 0 and '[]' or cjson.encode(names))
end
