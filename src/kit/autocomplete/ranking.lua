-- The structures of a dictionary, for scripts that include head.lua and this file first. Uses the locals `plain`, `weighted` and `best`.
--   plain      sorted set, all scores 0: entries without weight, in the order of their bytes
--   weighted   sorted set, all scores 0: entries with a weight, in the same order
--   best       sorted set: the same entries by weight; the score is the negative weight, so that the heaviest is first and
--              entries of one weight are in order. `best:` and the first character, or the first two, is the same for the
--              entries that begin with them
-- An entry is its folded text, a NUL byte and its text.

-- Calls a command for each ranking that the entry belongs to.
local function inRankings(command, entry, score)
  for characters = 0, 2 do
    local head = headOf(entry, characters)
    if not head then return end
    local key = characters == 0 and best or best .. ':' .. head
    if score then redis.call(command, key, score, entry) else redis.call(command, key, entry) end
  end
end

-- The weight of an entry, 0 without one; nil if there is no such entry.
local function weightOf(entry)
  local score = redis.call('ZSCORE', best, entry)
  if score then return -tonumber(score) end
  return redis.call('ZSCORE', plain, entry) and 0 or nil
end

-- Gives an entry a weight, and adds it if it is new.
local function place(entry, weight)
  if weight > 0 then
    redis.call('ZREM', plain, entry)
    redis.call('ZADD', weighted, 0, entry)
    inRankings('ZADD', entry, string.format('%.17g', -weight))
  else
    if redis.call('ZREM', weighted, entry) == 1 then inRankings('ZREM', entry) end
    redis.call('ZADD', plain, 0, entry)
  end
end
