-- Read before ranking.lua and complete-weighted.lua.

-- The first characters of an entry; nil if its folded text is shorter.
local function headOf(entry, characters)
  local at = 1
  for _ = 1, characters do
    local byte = entry:byte(at)
    if not byte or byte == 0 then return nil end
    at = at + (byte < 128 and 1 or byte < 224 and 2 or byte < 240 and 3 or 4)
  end
  return entry:sub(1, at - 1)
end
