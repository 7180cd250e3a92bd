-- The usual step of a worker, without functions, since creating them takes longer than the rest: some tasks were completed, and
-- tasks of the worker's kinds are waiting. Included before everything else. If anything else is there or to be done, it
-- changes nothing, and the rest of the script does the whole step (see advance.lua for the arguments and the result).
repeat
  if keepAge ~= '' or keepDeadAge ~= '' or keepMetrics ~= '0' then break end
  if redis.call('EXISTS', notes, delayed, occurrences, prioritized, aside, waiting .. ':groups', blocked .. ':due',
    tasks .. ':logs') > 0 then break end
  local state = redis.call('HMGET', meta, 'paused', 'limit', 'concurrency')
  if state[1] or state[2] or state[3] then break end
  local clock = redis.call('TIME')
  local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
  -- The end of a lease means tasks to take over.
  local soonest = redis.call('ZRANGE', active, 0, 0, 'WITHSCORES')[2]
  if soonest and tonumber(soonest) <= now then break end
  if keepMs ~= '0' then
    local known = redis.call('GET', receipt)
    if known and string.sub(known, 1, #step + 1) == step .. ' ' then break end
  end

  local isPlain, wanted, results = true, {}, {}
  for i = 1, #settlements, 6 do
    if settlements[i + 2] ~= 'completed' or settlements[i + 5] ~= '' then
      isPlain = false
      break
    end
    wanted[#wanted + 1] = settlements[i]
  end
  if not isPlain then break end

  -- Take first: if there is a task of another kind, everything is put back.
  local max, token = tonumber(count), worker .. ':' .. step
  local ids = max > 0 and redis.call('LPOP', waiting, max) or {}
  local taken = {}
  if #ids > 0 then
    local records = redis.call('HMGET', tasks, unpack(ids))
    local from, beginnings = 1, {}
    repeat
      local lineEnd = string.find(kinds, '\n', from, true)
      beginnings[#beginnings + 1] = '{"n":' .. string.sub(kinds, from, (lineEnd or 0) - 1)
      from = lineEnd and lineEnd + 1
    until not from
    for i = 1, #ids do
      local record, isHandled = records[i], false
      for j = 1, #beginnings do
        local beginning = beginnings[j]
        if record and string.sub(record, 1, #beginning) == beginning then
          isHandled = true
          break
        end
      end
      if not isHandled then
        isPlain = false
        break
      end
      taken[i * 2 - 1] = ids[i]
      taken[i * 2] = record
    end
    if not isPlain then
      for i = #ids, 1, -1 do redis.call('LPUSH', waiting, ids[i]) end
      break
    end
  end

  -- Settle.
  local told, flags, done = {}, {}, {}
  if #wanted > 0 then
    local tokens = redis.call('HMGET', holders, unpack(wanted))
    local completion = 'completed ' .. now .. ' '
    for at = 1, #wanted do
      local i = at * 6 - 5
      if tokens[at] == settlements[i + 1] then
        local id = wanted[at]
        flags[at] = '1'
        done[#done + 1] = id
        results[#results + 1] = id
        results[#results + 1] = completion .. settlements[i + 3]
        told[#told + 1] = 'completed ' .. id
      else
        flags[at] = '0'
      end
    end
  end
  if #done > 0 then
    redis.call('HDEL', holders, unpack(done))
    local oldest = done
    if keep ~= '0' then
      local excess = redis.call('LPUSH', completed, unpack(done)) - tonumber(keep)
      redis.call('HSET', outcomes, unpack(results))
      oldest = excess > 0 and redis.call('RPOP', completed, math.min(excess, 5000)) or {}
      if #oldest > 0 then redis.call('HDEL', outcomes, unpack(oldest)) end
    end
    if #oldest > 0 then redis.call('HDEL', tasks, unpack(oldest)) end
    for i = 1, #oldest do
      if #oldest[i] > 16 then redis.call('HDEL', tasks .. ':names', string.sub(oldest[i], 18)) end
    end
  end
  if ended ~= '' then
    for lease in string.gmatch(ended, '%S+') do redis.call('ZREM', active, lease) end
  end

  if #ids > 0 then
    -- See leaseOut in advance.lua.
    local tokens = #ids < 20 and {} or { '-', string.rep('-', 65) }
    for i = 1, #ids do
      tokens[#tokens + 1] = ids[i]
      tokens[#tokens + 1] = token
      told[#told + 1] = 'started ' .. ids[i]
    end
    redis.call('ZADD', active, now + lease, token)
    redis.call('HSET', holders, unpack(tokens))
    if #ids >= 20 then redis.call('HDEL', holders, '-') end
  end
  if watched == '1' and redis.call('EXISTS', waiting) == 1 and redis.call('EXISTS', wake) == 0 then
    redis.call('RPUSH', wake, '1')
  end
  if #told > 0 and bound ~= '0' then
    redis.call('XADD', events, 'MAXLEN', '~', bound, '*', 'told', table.concat(told, '\n'))
    if renews ~= '0' then redis.call('PEXPIRE', events, 86400000) end
  end
  flags = table.concat(flags)
  if keepMs ~= '0' and (flags ~= '' or #ids > 0) then
    redis.call('SET', receipt, step .. ' ' .. flags .. ' ' .. table.concat(ids, ' '), 'PX', keepMs)
  end
  local waitMs = -1
  if #ids < max then
    soonest = redis.call('ZRANGE', active, 0, 0, 'WITHSCORES')[2]
    if soonest then waitMs = math.max(0, tonumber(soonest) - now) end
  end
  return { flags, waitMs, now, taken, {}, {}, 0 }
until true

