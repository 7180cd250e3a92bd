-- What all scripts of locks know: who holds the lock, and who comes next. Read after waiting-line.lua.
-- Uses the keys `holds`, `fence`, `queue`, `waiters`, and the argument `fence_memory`.
--   holds  hash: id of an acquisition -> 'MODE ENDS TOKEN HOLDER'; mode x is exclusive, s is shared
--   fence  the last fencing token given

local held = {}

local function read_hold(record)
  local mode, ends, token, holder = string.match(record, '^(%a) (%d+) (%d+) (.*)$')
  return { mode = mode, ends = tonumber(ends), token = token, holder = holder }
end

local function write_hold(id, hold)
  held[id] = hold
  redis.call('HSET', holds, id, hold.mode .. ' ' .. whole(hold.ends) .. ' ' .. hold.token .. ' ' .. hold.holder)
  if redis.call('PTTL', holds) < hold.ends - now then redis.call('PEXPIREAT', holds, whole(hold.ends)) end
end

local function drop_hold(id)
  held[id] = nil
  return redis.call('HDEL', holds, id)
end

-- Those whose lease has ended hold nothing.
local records = redis.call('HGETALL', holds)
for i = 1, #records, 2 do
  local hold = read_hold(records[i + 1])
  if hold.ends > now then held[records[i]] = hold else drop_hold(records[i]) end
end

-- A hold that the holder has already.
local function hold_of(holder)
  for _, hold in pairs(held) do
    if hold.holder == holder then return hold end
  end
end

local function is_free_for(mode, holder)
  for _, hold in pairs(held) do
    if hold.holder ~= holder and (mode == 'x' or hold.mode == 'x') then return false end
  end
  return true
end

-- Greater than all before: also after a failover that lost the last ones, for the time has gone on since.
local function next_token(least)
  local last = tonumber(redis.call('GET', fence) or 0)
  local token = whole(math.max(last + 1, micros, least))
  redis.call('SET', fence, token, 'PX', fence_memory)
  return token
end

local function take(id, mode, holder, lease)
  local former = hold_of(holder)
  local token = former and former.token or next_token(0)
  write_hold(id, { mode = mode, ends = now + lease, token = token, holder = holder })
  return token
end

-- Lets in who comes next. Fair waiters are given the lock; others are woken to try for themselves.
local function serve_line()
  while true do
    local id, channel, wish = first_in_line()
    if not id or not is_free_for(wish.mode, wish.holder) then return end
    leave_line(id)
    if wish.fair then take(id, wish.mode, wish.holder, wish.lease) end
    redis.call('PUBLISH', channel, id)
    if not wish.fair then return end
  end
end
