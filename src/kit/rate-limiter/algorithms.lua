-- The algorithms of rate limits, for scripts that include this file first. Each algorithm adds an entry with three functions.
-- A window is a table { key, limit, per, burst, free }; per is in ms, burst is the largest number of units there can be.
--   read(window)            sets `free`, the units that can be taken; below 0 after a penalty
--   write(window, taken)    stores `free`, which has just been lowered by `taken` units; raised if it is below 0
--   wait(window, wanted)    returns the ms until `wanted` units are free, if none are taken meanwhile; below 1 if they are

local algorithms = {}

-- Absorbs rounding errors: three steps of a third of the time must give one unit.
local ROUNDING = 1e-6
