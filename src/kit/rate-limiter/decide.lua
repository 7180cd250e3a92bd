-- Takes units from all windows or from none. Read after the algorithms.
-- KEYS  keys      one for each window, then the key of the block, if names can be blocked
-- ARGV  action    take; look: only check; change: take units even if too few are free, or return them if `cost` is below 0
--       cost      units
--       blockFor  how long a refused name is blocked, in ms; 0: not at all
--       algorithm, limit, per, burst   of the first window
--       others    the same of the other windows
-- Returns {1 if allowed, ms for which the name is blocked, then for each window: whole units left, ms until `cost` units are free
--          (0 if they were), ms until there is one more unit, ms until all units are free}. After a change, `cost` is 1.

cost = tonumber(cost)
local count = 1 + #others / 4
local windows = {}
local isAllowed = true
for i = 1, count do
  local at = 4 * (i - 2)
  local window = {
    key = keys[i],
    algorithm = algorithms[i == 1 and algorithm or others[at + 1]],
    limit = tonumber(i == 1 and limit or others[at + 2]),
    per = tonumber(i == 1 and per or others[at + 3]),
    burst = tonumber(i == 1 and burst or others[at + 4]),
  }
  window.algorithm.read(window)
  isAllowed = isAllowed and window.free + ROUNDING >= cost
  windows[i] = window
end

local block = keys[count + 1]
local blocked = block and math.max(0, redis.call('PTTL', block)) or 0

local isTaken = action == 'change' or (action == 'take' and isAllowed and blocked == 0)
if isTaken then
  for i = 1, count do
    local window = windows[i]
    local free = math.min(window.burst, math.max(window.free - cost, -window.burst))
    local taken = window.free - free
    window.free = free
    if taken ~= 0 then window.algorithm.write(window, taken) end
  end
elseif action == 'take' and blocked == 0 and tonumber(blockFor) > 0 then
  redis.call('SET', block, 1, 'PX', blockFor)
  blocked = tonumber(blockFor)
end

-- After a change: whether one more unit can be taken.
if action == 'change' then
  cost = 1
  isTaken = false
  isAllowed = true
  for i = 1, count do isAllowed = isAllowed and windows[i].free + ROUNDING >= 1 end
end

local reply = { isAllowed and blocked == 0 and 1 or 0, blocked }
for i = 1, count do
  local window = windows[i]
  local wait = window.algorithm.wait
  local remaining = math.max(0, math.floor(window.free + ROUNDING))
  reply[4 * i - 1] = remaining
  reply[4 * i] = isTaken and 0 or math.max(0, math.ceil(wait(window, cost)))
  reply[4 * i + 1] = remaining < window.burst and math.max(0, math.ceil(wait(window, remaining + 1))) or 0
  reply[4 * i + 2] = math.max(0, math.ceil(wait(window, window.burst)))
end
return reply
