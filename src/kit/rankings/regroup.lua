-- Adds an article to groups and removes it from others.
-- KEYS  byScore, byTime, base: see ranking-state.lua
-- ARGV  id
--       added     how many of the names are of groups that it is added to; it is removed from the others
--       names
-- Returns 1; 0 if the article is unknown.

if redis.call('EXISTS', articleOf(id)) == 0 then return 0 end
local isIn = {}
for _, name in ipairs(groupsOf(id)) do isIn[name] = true end
for at, name in ipairs(names) do
  local isAdded = at <= tonumber(added)
  isIn[name] = isAdded or nil
  redis.call(isAdded and 'SADD' or 'SREM', groupOf(name), id)
  -- Their rankings are made again.
  redis.call('DEL', base .. 'ranked:score:' .. name, base .. 'ranked:time:' .. name)
end
local list = {}
for name in pairs(isIn) do list[#list + 1] = name end
table.sort(list)
saveGroups(id, list)
return 1
