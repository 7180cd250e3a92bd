-- What all scripts of semaphores know: which permits are out, and who comes next. Read after clock.lua and
-- waiting-line.lua. Uses the keys `permits`, `limit`, `queue`, `waiters`, and the argument `usual_limit`.
--   permits  sorted set: 'ID NUMBER', one for each permit of an acquisition -> when its lease ends, in ms
--   limit    how many there are; without it, usual_limit

redis.call('ZREMRANGEBYSCORE', permits, '-inf', now)

local function permit(id, number)
  return id .. ' ' .. number
end

local function set_lease(id, count, ends)
  for number = 1, count do redis.call('ZADD', permits, whole(ends), permit(id, number)) end
  if redis.call('PTTL', permits) < ends - now then redis.call('PEXPIREAT', permits, whole(ends)) end
end

-- When the lease of this acquisition ends; nil if it has none.
local function lease_end(id)
  return tonumber(redis.call('ZSCORE', permits, permit(id, 1)) or nil)
end

local function drop_permits(id, count)
  local dropped = 0
  for number = 1, count do dropped = dropped + redis.call('ZREM', permits, permit(id, number)) end
  return dropped
end

local function present_limit()
  return tonumber(redis.call('GET', limit) or usual_limit)
end

local function are_free(count)
  return redis.call('ZCARD', permits) + count <= present_limit()
end

-- With no permits at all everybody waits for the limit to be raised; else nobody can wait for more than there are.
local function is_too_much(count)
  local most = present_limit()
  return most > 0 and count > most
end

-- Gives permits to those who come next, and tells them so, with the attempt that it is an answer to. A large wish is not
-- overtaken by small ones, unless it is too large: then it is woken to be told.
local function serve_line()
  while true do
    local id, channel, wish = first_in_line()
    if not id then return end
    local count, lease, attempt = string.match(wish, '^(%d+) (%d+) (%d+)$')
    count = tonumber(count)
    local can_take = are_free(count)
    if not can_take and not is_too_much(count) then return end
    leave_line(id)
    if can_take then
      set_lease(id, count, now + lease)
      redis.call('PUBLISH', channel, id .. ' ' .. attempt .. ' 1')
    else
      redis.call('PUBLISH', channel, id)
    end
  end
end
