-- Code that all scripts of a transfer share; included before each of them. Uses the locals `meta`, `readers`, `digests`, `blocks`
-- and `room`, the keys of a transfer:
--   meta     hash: blockSize, space, expiry, remember (the options), count (blocks sent, including the empty one that
--            marks the end), bytes (sent), digest (of the chain up to the last block sent), done (1: the end is sent),
--            waiting (1: the sender waits for room)
--   readers  zset: reader -> its position: number of the last block it has acknowledged
--   digests  hash: reader -> digest of the chain up to its position
--   blocks   stream: an entry n-0 for block n, with the fields d (digest) and b (bytes); only blocks that some reader has not read
--   room     list: one element when blocks were dropped while the sender waited
-- A transfer exists as long as its meta.

local UNKNOWN, STRANGER = -1, -2

local found = redis.call('HMGET', meta, 'blockSize', 'space', 'count', 'bytes', 'digest', 'done')
local isKnown = found[1] ~= false
local blockSize, space = tonumber(found[1]), tonumber(found[2])
local count, bytes = tonumber(found[3]), tonumber(found[4])
local digest, done = found[5], tonumber(found[6])

local function whole(number)
  return string.format('%.0f', number)
end

-- The position of the slowest reader: all blocks up to it can be dropped.
local function minRead()
  return tonumber(redis.call('ZRANGE', readers, 0, 0, 'WITHSCORES')[2])
end

-- All blocks but the last are of the same size, so the number of bytes held follows from the positions.
local function held()
  return bytes - math.min(bytes, minRead() * blockSize)
end

-- The state of the transfer, as its sender sees it.
local function state()
  return { blockSize, count, digest, done, space - held() }
end

local function placeOf(reader)
  local place = redis.call('ZSCORE', readers, reader)
  return place and tonumber(place)
end

-- There was progress: extend the expiry.
local function refresh()
  local expiry = redis.call('HGET', meta, 'expiry')
  for _, key in ipairs({ meta, readers, digests, blocks, room }) do redis.call('PEXPIRE', key, expiry) end
end

local function remove()
  redis.call('UNLINK', meta, readers, digests, blocks, room)
end

-- All readers are done. The rest is kept for a while, for clients that call again.
local function complete()
  local remember = tonumber(redis.call('HGET', meta, 'remember'))
  if remember == 0 then return remove() end
  redis.call('UNLINK', blocks, room)
  for _, key in ipairs({ meta, readers, digests }) do redis.call('PEXPIRE', key, remember) end
end

-- Drops blocks that all have read, if there are new ones since `before`, and wakes a waiting sender.
local function dropRead(before)
  local least = minRead()
  if done == 1 and least == count then return complete() end
  if least > before then
    redis.call('XTRIM', blocks, 'MINID', whole(least + 1) .. '-0')
    if redis.call('HDEL', meta, 'waiting') == 1 then
      redis.call('DEL', room)
      redis.call('RPUSH', room, 1)
    end
  end
  refresh()
end
