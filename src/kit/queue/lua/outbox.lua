-- Tasks that wait for others, in this queue or in another one. Included after groups.lua.
--
-- Queues lie in different slots of a Cluster, so no script can change two of them. A script that has something to tell another
-- queue writes a message into the outbox of its own queue, in the same atomic step. A worker, or the program that called the
-- script, then delivers it and deletes it. If it dies before, another worker delivers the message again, so each
-- message arrives at least once. Arrival is idempotent: tasks of messages have own ids, and a child's arrival deletes
-- the field remote:parent:child, which is there once.
--   blocked:out  hash  number of a message -> the message as JSON
--   blocked:due  zset  number of a message; score = when to deliver it (again), in ms
local outgoing = blocked .. ':due'

local function send(message)
  local number = redis.call('HINCRBY', meta, 'sent', 1)
  redis.call('HSET', blocked .. ':out', number, cjson.encode(message))
  redis.call('ZADD', outgoing, now, number)
  wakeOne()
end

-- One of the tasks that this one waits for is done. Returns false if it was not blocked: another one has made it dead.
local function unblock(id, header)
  local left = redis.call('ZADD', blocked, 'XX', 'INCR', -1, id)
  if not left then return false end
  if tonumber(left) > 0 then return true end
  redis.call('ZREM', blocked, id)
  enqueue(id, header)
  tell('released', id)
  wakeOne()
  return true
end

local function isCompleted(id)
  return string.sub(redis.call('HGET', outcomes, id) or '', 1, 9) == 'completed'
end

-- Unblocks tasks that wait for this one. Its result is kept until they are done.
local function releaseDependents(id, result)
  local dependents = redis.call('HGET', notes, 'dependents:' .. id)
  if not dependents then return end
  redis.call('HDEL', notes, 'dependents:' .. id)
  for dependent in string.gmatch(dependents, '[^\n]+') do
    if string.sub(dependent, 1, 1) == '{' then
      local parent = cjson.decode(dependent)
      send({ to = parent.to, parent = parent.id, child = parent.child, result = result or '' })
    else
      -- It may have been removed.
      local header = headerOf(dependent)
      if header then
        local mayRun = unblock(dependent, header) or not isCompleted(dependent)
        if mayRun and result and result ~= '' then
          redis.call('HSET', notes, 'input:' .. dependent .. ':' .. id, result)
        end
      end
    end
  end
end

local function addDependent(id, dependent)
  local field = 'dependents:' .. id
  redis.call('HSET', notes, field, (redis.call('HGET', notes, field) or '') .. '\n' .. dependent)
end

local function forgetInputs(id, header)
  for _, child in ipairs(header and header.w or {}) do
    redis.call('HDEL', notes, 'input:' .. id .. ':' .. child, 'died:' .. id .. ':' .. child)
  end
  for _, child in ipairs(header and header.x or {}) do
    local its = id .. ':' .. child
    redis.call('HDEL', notes, 'input:' .. its, 'died:' .. its, 'remote:' .. its)
  end
end
