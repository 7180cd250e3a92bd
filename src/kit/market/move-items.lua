-- Gives items to a user, or takes them.
-- KEYS  funds, items: see money-and-items.lua
-- ARGV  user, item
--       quantity   negative: takes
-- Returns the user's count of the item; -1 if there are too few.

return carry(user, item, tonumber(quantity)) or -1
