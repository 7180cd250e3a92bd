-- Finds the entries that begin with a prefix: by weight, the heaviest first, then by their folded text.
-- KEYS  plain, weighted, best: see ranking.lua
-- ARGV  prefix        folded
--       limit         max number of entries
--       afterWeight   only what follows the entry of this weight …
--       afterEntry    … and name; empty: from the first one
-- Returns a list: entry, weight, entry, weight …

limit = tonumber(limit)
local from = afterEntry ~= '' and tonumber(afterWeight)
-- No entry has the byte 255: it is not part of UTF-8.
local first, last = '[' .. prefix, '(' .. prefix .. '\255'
local found = {}

-- Entries without weight come last.
local function addPlain()
  local left = limit - #found / 2
  if left == 0 then return found end
  local start = from == 0 and '(' .. afterEntry or first
  for _, entry in ipairs(redis.call('ZRANGEBYLEX', plain, start, last, 'LIMIT', 0, left)) do
    found[#found + 1] = entry
    found[#found + 1] = '0'
  end
  return found
end

if from == 0 or redis.call('EXISTS', best) == 0 then return addPlain() end
