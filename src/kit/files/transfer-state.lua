-- What the scripts of a transfer share; comes before each of them. Uses the locals `meta`, `readers`, `digests`, `blocks`
-- and `room`, the keys of a transfer:
--   meta     hash: blockSize, space, expiry, remember (as they were given), count (blocks sent, with the empty one that
--            marks the end), bytes (sent), digest (of the chain up to the last block sent), done (1: the end is sent),
--            waiting (1: the sender waits for room)
--   readers  zset: reader -> number of the last block it has acknowledged, its place
--   digests  hash: reader -> digest of the chain up to its place
--   blocks   stream: an entry n-0 for block n, with the fields d (digest) and b (bytes); only what has not been read by all
--   room     list: one element when blocks were dropped while the sender waited
-- A transfer is there as long as its meta is.

local UNKNOWN, STRANGER = -1, -2

local found = redis.call('HMGET', meta, 'blockSize', 'space', 'count', 'bytes', 'digest', 'done')
local isKnown = found[1] ~= false
local blockSize, space = tonumber(found[1]), tonumber(found[2])
local count, bytes = tonumber(found[3]), tonumber(found[4])
local digest, done = found[5], tonumber(found[6])

local function whole(number)
  return string.format('%.0f', number)
end

-- The place of the slowest reader: everything up to it may go.
local function leastRead()
  return tonumber(redis.call('ZRANGE', readers, 0, 0, 'WITHSCORES')[2])
end

-- All blocks but the last are of the same size, so places tell how many bytes are held.
local function held()
  return bytes - math.min(bytes, leastRead() * blockSize)
end

-- Where the sender is, and what it may do.
local function state()
  return { blockSize, count, digest, done, space - held() }
end

local function placeOf(reader)
  local place = redis.call('ZSCORE', readers, reader)
  return place and tonumber(place)
end

-- Something has gone forward: the transfer is not abandoned.
local function refresh()
  local expiry = redis.call('HGET', meta, 'expiry')
  for _, key in ipairs({ meta, readers, digests, blocks, room }) do redis.call('PEXPIRE', key, expiry) end
end

local function remove()
  redis.call('UNLINK', meta, readers, digests, blocks, room)
end

-- All have read everything. What is left tells those who ask again, for a while.
local function complete()
  local remember = tonumber(redis.call('HGET', meta, 'remember'))
  if remember == 0 then return remove() end
  redis.call('UNLINK', blocks, room)
  for _, key in ipairs({ meta, readers, digests }) do redis.call('PEXPIRE', key, remember) end
end

-- Drops what all have read, which was more than `before`, and tells a sender that waits.
local function dropRead(before)
  local least = leastRead()
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
