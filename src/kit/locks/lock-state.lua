-- Shared by all lock scripts: who holds the lock, and who is next. Read after clock.lua and waiting-line.lua.
-- Uses the keys `lock`, `queue`, `waiters`, the argument `keep`, and `state`, the reply of HGETALL for the lock.
--   lock  hash: fence -> the last fencing token issued
--               id of an acquisition -> 'ENDS TOKEN MODE HOLDER'; mode x is exclusive, s is shared

-- The current holds, as a short list of { id, mode, ends, token, holder }. Expired holds are left out. Tokens stay strings,
-- because formatting large numbers is slow.
local holds = {}
local fence = '0'
for i = 1, #state, 2 do
  if state[i] == 'fence' then
    fence = state[i + 1]
  else
    local ends, token, mode, holder = string.match(state[i + 1], '^(%d+) (%d+) (%a) (.*)$')
    if tonumber(ends) > now then
      holds[#holds + 1] = { id = state[i], mode = mode, ends = tonumber(ends), token = token, holder = holder }
    else
      redis.call('HDEL', lock, state[i])
    end
  end
end

local function writeHold(hold)
  local record = whole(hold.ends) .. ' ' .. hold.token .. ' ' .. hold.mode .. ' ' .. hold.holder
  redis.call('HSET', lock, 'fence', fence, hold.id, record)
  local most = math.max(hold.ends - now, keep)
  if redis.call('PTTL', lock) < most then redis.call('PEXPIRE', lock, 2 * most) end
end

-- The hold of an acquisition.
local function holdWith(id)
  for i = 1, #holds do
    if holds[i].id == id then return holds[i] end
  end
end

-- An existing hold of this holder.
local function holdOf(holder)
  for i = 1, #holds do
    if holds[i].holder == holder then return holds[i] end
  end
end

local function isFreeFor(mode, holder)
  for i = 1, #holds do
    if holds[i].holder ~= holder and (mode == 'x' or holds[i].mode == 'x') then return false end
  end
  return true
end

-- A token is greater than all earlier ones. It includes the time, so this is true even after a failover that lost the last tokens.
local function take(id, mode, holder, lease)
  local former = holdOf(holder)
  if not former then fence = whole(math.max(fence + 1, micros)) end
  local token = former and former.token or fence
  local hold = { id = id, mode = mode, ends = now + lease, token = token, holder = holder }
  holds[#holds + 1] = hold
  writeHold(hold)
  return token
end

-- Whether a waiter's process listens. If the script is not allowed to ask, it assumes so.
local function isListenedTo(channel)
  local listeners = redis.pcall('PUBSUB', 'NUMSUB', channel)
  return listeners.err or listeners[2] > 0
end

-- Hands the lock to the next waiters, by a message with the attempt that it answers and the token.
-- Each waiter has chosen how:
--   g  it is given the lock
--   l  it is given the lock if its process listens on the channel; otherwise it is skipped
--   w  it is only woken, and tries again
local function serveLine()
  while true do
    local id, channel, request = firstInLine()
    if not id then return end
    local turn, mode, lease, attempt, holder = string.match(request, '^(%a) (%a) (%d+) (%d+) (.*)$')
    if not isFreeFor(mode, holder) then return end
    leaveLine(id)
    local isThere = turn ~= 'l' or isListenedTo(channel)
    if turn == 'w' then
      redis.call('PUBLISH', channel, id)
    elseif isThere then
      redis.call('PUBLISH', channel, id .. ' ' .. attempt .. ' ' .. take(id, mode, holder, lease))
    end
    if isThere and mode == 'x' then return end
  end
end
