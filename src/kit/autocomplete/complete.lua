-- Finds the entries that begin with a prefix: by weight, the heaviest first, then by their folded text.
-- KEYS  base      what the keys of the dictionary begin with; see ranking.lua
-- ARGV  prefix    folded
--       limit     max number of entries
--       after     weight, a space and the entry where the last page ended; empty: the first page
-- Returns the entries, joined by NUL bytes; for a dictionary with weights {the same, the weights, joined by spaces}. One text is read much
-- faster than a list of them.

-- No entry has the byte 255: it is not part of UTF-8.
local plain, best, first, last = base .. 'plain', base .. 'best', '[' .. prefix, '(' .. prefix .. '\255'
if redis.call('EXISTS', best) == 0 then
  if after ~= '' then first = '(' .. after:match(' (.*)') end
  return table.concat(redis.call('ZRANGEBYLEX', plain, first, last, 'LIMIT', 0, limit), '\0')
end
