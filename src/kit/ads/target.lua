-- Chooses the ads of highest value for a page, and records that they were viewed.
-- KEYS  base: see ads.lua
-- ARGV  prior: see ads.lua
--       count       max number of ads
--       target      what the ids of targets begin with
--       keep        how long a click or an action may follow, in ms
--       every       an ad is estimated again after this number of views
--       locations   separated by NUL
--       words       of the page, each once
-- Returns for each ad {id of the target, id of the ad, value with bonus, words of the ad that are on the page (between spaces)}.

count = tonumber(count)
local onPage, highest = {}, 0
for start = 1, #words, 1000 do
  local stop = math.min(start + 999, #words)
  for at, bonus in ipairs(redis.call('ZMSCORE', base .. 'bonuses', unpack(words, start, stop))) do
    onPage[words[start + at - 1]] = true
    if bonus then highest = math.max(highest, tonumber(bonus)) end
  end
end

-- Ads of several locations in the order of their value, some at a time.
local AT_ONCE = 32
local queues = {}
for _, location in ipairs(locationsOf(locations)) do
  queues[#queues + 1] = { key = base .. 'value:' .. location, rank = 0, ads = {}, at = 1 }
end

local function head(queue)
  if queue.at > #queue.ads and queue.rank then
    queue.ads = redis.call('ZRANGE', queue.key, queue.rank, queue.rank + AT_ONCE - 1, 'REV', 'WITHSCORES')
    queue.at = 1
    queue.rank = #queue.ads == 2 * AT_ONCE and queue.rank + AT_ONCE or nil
  end
  local id = queue.ads[queue.at]
  return id, id and tonumber(queue.ads[queue.at + 1])
end

-- The order of a sorted set, from the highest: by value, then by the bytes of the id.
local function isAfter(one, other)
  for at = 1, math.min(#one, #other) do
    local a, b = one:byte(at), other:byte(at)
    if a ~= b then return a > b end
  end
  return #one > #other
end

local function nextAd()
  local first, firstId, firstValue
  for _, queue in ipairs(queues) do
    local id, value = head(queue)
    if id and (not first or value > firstValue or (value == firstValue and isAfter(id, firstId))) then
      first, firstId, firstValue = queue, id, value
    end
  end
  if first then first.at = first.at + 2 end
  return firstId, firstValue
end

-- Half the lowest and half the highest bonus of the words that ad and page share.
local function bonusOf(id)
  local shared = {}
  for word in redis.call('HGET', base .. 'ad:' .. id, 'words'):gmatch('[^ ]+') do
    if onPage[word] then shared[#shared + 1] = word end
  end
  if #shared == 0 then return 0, shared end
  local names = {}
  for at, word in ipairs(shared) do names[at] = 'b:' .. word end
  local low, high
  for start = 1, #names, 1000 do
    for _, text in ipairs(redis.call('HMGET', base .. 'learnt:' .. id, unpack(names, start, math.min(start + 999, #names)))) do
      local bonus = tonumber(text or 0)
      low, high = math.min(low or bonus, bonus), math.max(high or bonus, bonus)
    end
  end
  return (low + high) / 2, shared
end

local best, seen = {}, {}
while true do
  local id, value = nextAd()
  -- No further ad can be better than those chosen: none has more than the highest bonus.
  if not id or (#best == count and value + highest <= best[count].value) then break end
  if not seen[id] then
    seen[id] = true
    local bonus, shared = bonusOf(id)
    local place = #best
    while place > 0 and best[place].value < value + bonus do place = place - 1 end
    if place < count then
      table.insert(best, place + 1, { id = id, value = value + bonus, words = shared })
      best[count + 1] = nil
    end
  end
end

local reply = {}
for at, chosen in ipairs(best) do
  local id = chosen.id
  local ad, name = base .. 'ad:' .. id, target .. '-' .. at
  local views = redis.call('HINCRBY', ad, 'views', 1)
  local kind = redis.call('HGET', ad, 'type')
  if kind ~= 'cpm' then redis.call('HINCRBY', base .. 'totals', kind .. ':views', 1) end
  for _, word in ipairs(chosen.words) do redis.call('HINCRBY', base .. 'learnt:' .. id, 'v:' .. word, 1) end
  local shared = #chosen.words == 0 and '' or ' ' .. table.concat(chosen.words, ' ') .. ' '
  redis.call('HSET', base .. 'target:' .. name, 'ad', id, 'words', shared)
  redis.call('PEXPIRE', base .. 'target:' .. name, keep)
  if views % every == 0 then estimate(id) end
  reply[at] = { name, id, exact(chosen.value), shared }
end
return reply
